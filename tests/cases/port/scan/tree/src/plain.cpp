// No kernels, no launches: Clang does not read it.
int main() { return 0; }
