"""64 bits for all the bits of a tensor. digests.cpp computes the same.

The words of a tensor are the coefficients of a polynomial, taken at an odd number modulo 2**64: a word that differs
always shows, and several hardly ever cancel out. It is one pass over the memory, so that every parameter can be looked
at after every step.
"""

import torch

BASE = 6364136223846793005


class Digests:
    def __init__(self, longest):
        """For tensors of up to so many bytes."""
        self._powers = torch.full((longest // 8,), BASE).cumprod(0)

    def of(self, tensors):
        """One number for each of them. Their bytes have to be a multiple of 8."""
        return torch.stack([self._one(tensor.detach()) for tensor in tensors])

    def _one(self, tensor):
        words = tensor.flatten().view(torch.int64)
        return words.dot(self._powers[: words.numel()])
