"""The steps of grad_scaler_test.cpp with PyTorch's own scaler.

Reads a file with the gradients of a step in each line, and prints the scale and the bits of the parameter after each.
"""

import struct
import sys

import torch

scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=3)
parameter = torch.nn.Parameter(torch.zeros(3))
optimizer = torch.optim.SGD([parameter], lr=0.5, momentum=0.9)
for line in open(sys.argv[1]):
    optimizer.zero_grad()
    factors = torch.tensor([float(word) for word in line.split()])
    scaler.scale((parameter * factors).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    bits = [struct.unpack("<I", struct.pack("<f", value))[0] for value in parameter.tolist()]
    print(scaler.get_scale(), *bits)
