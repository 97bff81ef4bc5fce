"""Twins of AICS-openoperator: contest kernels that ran on an MLU370-X4. They show how a call is used; what is right is numpy's."""
import numpy as np
from twin import Case, In, Out, twin

HEADERS = {"#include <framework/core/MLUStream.h>": "", "#include <torch/extension.h>": ""}


@twin("openoperator", "Square_matrix_multiplication_.mlu", "k0", ["matmul"], until="torch::Tensor",
      replace={**HEADERS, "#define N0 2048": "#define N0 512", "#define TG 8": "#define TG 2", "#define TC 8": "#define TC 2"})
def square_matmul(rng):
    a, b = rng.standard_normal((512, 512)).astype(np.float16), rng.standard_normal((512, 512)).astype(np.float16)
    out = a.astype(np.float64) @ b.astype(np.float64)
    yield Case([In(a), In(b), Out(out.astype(np.float32), 1e-3)], (4, 1, 1), "block")


@twin("openoperator", "Gather_rows.mlu", "k0", ["gather"], until="torch::Tensor", replace=HEADERS)
def gather_rows(rng):
    rows, columns, chosen = 64, 1024, 32
    x = rng.standard_normal((rows, columns)).astype(np.float16)
    index = rng.integers(0, columns, (rows, chosen)).astype(np.int64)
    yield Case([In(x), In(index), Out(np.take_along_axis(x, index, 1))], (4, 1, 1), "block")
