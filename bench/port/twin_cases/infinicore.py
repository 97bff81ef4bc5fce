"""Twins of InfiniCore."""
import numpy as np
from twin import UNGUARDED, Case, In, InOut, Out, f32, i32, twin, u64

I = "src/infiniop/ops/"
BARE = ("-D__COMMON_BANG_H__", "-include", "infinicore.h")
MPU = ("these kernels have no guard for the MPU: it runs them too, and writes shared[coreId] with coreId 128, past an array of four")


def cluster_sum(rng, reference, inputs):
    for n in (5, 1000, 60001):
        x = [rng.uniform(-1, 1, n).astype(np.float32) for _ in range(inputs)]
        yield Case([i32(n), *[In(v) for v in x], Out(np.float32([reference(*[v.astype(np.float64) for v in x])]), 1e-3)], (4, 1, 1), "union1")


@twin("infinicore", I + "blas_dot/bang/blas_dot_bang_kernel.mlu", "blasDotKernelContiguous<float>", ["sram", "cluster"],
      (*BARE, "-D__BLAS_DOT_BANG_H__"), theirs={**UNGUARDED, "out-of-bounds": MPU})
def blas_dot(rng):
    yield from cluster_sum(rng, np.dot, 2)


@twin("infinicore", I + "embedding/bang/embedding_bang.mlu", "embeddingKernel<float,int64_t>", [], (*BARE, "-D__EMBEDDING_BANG_H__"),
      until="template <typename T, typename IndexType>\nstatic")
def embedding(rng):
    n, dim, vocabulary = 13, 300, 50
    weight = rng.standard_normal((vocabulary, dim)).astype(np.float32)
    indices = rng.integers(0, vocabulary, n).astype(np.int64)
    yield Case([Out(weight[indices]), In(indices), In(weight), u64(n), u64(dim), u64(vocabulary)], (4, 1, 1), "union1")


@twin("infinicore", I + "rms_norm/bang/rms_norm_bang.mlu", "rmsnorm<float,float>", [], (*BARE, "-D__RMS_NORM_BANG_H__"),
      until="template <typename T, typename Tw>\nvoid rmsnormUnion", theirs=UNGUARDED)
def rms_norm(rng):
    for rows, dim in ((3, 64), (7, 512)):
        x = rng.standard_normal((rows, dim)).astype(np.float32)
        w = rng.standard_normal(dim).astype(np.float32)
        out = x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-5) * w
        shape, strides = np.array([rows, dim], np.uint64), np.array([dim, 1], np.int64)
        yield Case([Out(out.astype(np.float32), 1e-5), In(x), In(w), In(shape), In(strides), In(strides), f32(1e-5), i32(2), i32(dim)], (4, 1, 1), "union1")


@twin("infinicore", I + "causal_softmax/bang/causal_softmax_bang.mlu", "causalSoftmax<float>", [], (*BARE, "-D__CAUSAL_SOFTMAX_BANG_H__"),
      until="template <typename T>\nvoid causalSoftmaxUnion", theirs=UNGUARDED)
def causal_softmax(rng):
    batch, rows, columns = 2, 5, 70
    x = rng.uniform(-3, 3, (batch, rows, columns)).astype(np.float32)
    hidden = np.arange(columns)[None, :] > np.arange(rows)[:, None] + columns - rows
    e = np.where(hidden, 0, np.exp(x.astype(np.float64) - x.max(2, keepdims=True)))
    out = (e / e.sum(2, keepdims=True)).astype(np.float32)
    step = [np.int64(v) for v in (rows * columns, columns, 1)]
    yield Case([Out(out, 1e-5), In(x), u64(batch), u64(rows), u64(columns), *step, *step], (4, 1, 1), "union1", worst=0.01)


@twin("infinicore", I + "axpy/bang/axpy_bang_kernel.mlu", "axpyKernelContiguous<half>", [], (*BARE, "-D__AXPY_BANG_H__"))
def axpy_half(rng):
    n = 3001
    x, y = rng.uniform(-2, 2, n).astype(np.float16), rng.uniform(-2, 2, n).astype(np.float16)
    alpha = np.float16([0.75])
    yield Case([i32(n), In(alpha), In(x), InOut(y, (alpha * x + y).astype(np.float16), 1e-3)], (4, 1, 1), "union1")
