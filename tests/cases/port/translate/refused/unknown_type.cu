// Refused: TQP2002
__global__ void unknown_type(Missing* x) { x[threadIdx.x] = 0; }
