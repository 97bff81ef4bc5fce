// Refused: TQP2019
__global__ void lambda_changes_itself(int* x) {
  int count = 0;
  auto next = [count]() mutable { return ++count; };
  next();
  x[threadIdx.x] = next();
}
void run(int* x) { lambda_changes_itself<<<1, 32>>>(x); }
