"""What a twin is: a hand-written kernel, the launches of it, and what its CUDA side computes."""
import dataclasses
from typing import Any, Callable

import numpy as np


@dataclasses.dataclass
class In:
    initial: np.ndarray

    @property
    def bytes(self):
        return int(self.initial.nbytes)


@dataclasses.dataclass
class Out:
    expected: np.ndarray
    tolerance: float = 0  # relative beyond 1, absolute below; 0: bit for bit
    initial: Any = None

    @property
    def bytes(self):
        return int(self.expected.nbytes)


@dataclasses.dataclass
class InOut:
    initial: np.ndarray
    expected: Any
    tolerance: float = 0

    @property
    def bytes(self):
        return int(self.initial.nbytes)


def scratch(bytes_):
    return InOut(np.zeros(bytes_, np.uint8), None)


@dataclasses.dataclass
class Case:
    arguments: list
    task_dim: tuple = (1, 1, 1)
    task_type: str = "block"
    cuda: list = None  # the CUDA side's arguments, their outputs in its layout
    grid: tuple = (4, 1, 1)
    block: tuple = (256, 1, 1)
    worst: float = 0  # tolerance where approximate functions are as bad as they may be


@dataclasses.dataclass
class Twin:
    name: str
    checkout: str
    source: str
    kernel: str
    cases: Callable
    shows: tuple  # what it stands for: cluster, sram, async, atomic, matmul
    flags: tuple
    append: str
    until: str  # the host part of the file begins with this text
    replace: dict  # texts of the file, by what: sizes made smaller, host headers left out
    cuda: tuple  # header of the CUDA side, kernel, parameter types
    theirs: dict  # kinds of fault that are the kernel's own, and why


TWINS = []

# Of kernels that let the MPU run through code for IPUs.
UNGUARDED = {"wrong-core": "the kernel has no guard for the MPU, whose scalar code reaches NRAM; what it reads there goes nowhere"}


def twin(checkout, source, kernel, shows=(), flags=(), append="", until="", replace=None, cuda=None, theirs=None):
    def register(cases):
        TWINS.append(Twin(cases.__name__, checkout, source, kernel, cases, tuple(shows), tuple(flags), append, until, replace or {}, cuda, theirs or {}))
        return cases

    return register


def i32(value):
    return np.int32(value)


def u32(value):
    return np.uint32(value)


def f32(value):
    return np.float32(value)


def u64(value):
    return np.uint64(value)


def flag(value):
    return np.uint8(value)
