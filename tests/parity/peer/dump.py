"""Writes named tensors for dump.cpp to read: PATH.index has a line "name dtype shape offset" for each of them, PATH.data
their elements, row-major and little-endian, one tensor after the other. A shape is "2x3", or "-" for a single number.
"""

import ctypes
import sys

import torch

DTYPES = {torch.float32: "f32", torch.int64: "i64"}


class Dump:
    def __init__(self, path):
        if sys.byteorder != "little":
            raise RuntimeError("a dump is little-endian, and this machine is not")
        self._index = open(f"{path}.index", "w", encoding="ascii")
        self._data = open(f"{path}.data", "wb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._index.close()
        self._data.close()

    def add(self, name, tensor):
        tensor = tensor.detach().contiguous()
        shape = "x".join(str(size) for size in tensor.shape) or "-"
        self._index.write(f"{name} {DTYPES[tensor.dtype]} {shape} {self._data.tell()}\n")
        self._data.write(ctypes.string_at(tensor.data_ptr(), tensor.nbytes))

    def add_all(self, prefix, named_tensors):
        for name, tensor in named_tensors:
            if tensor is not None:
                self.add(f"{prefix}/{name}", tensor)
