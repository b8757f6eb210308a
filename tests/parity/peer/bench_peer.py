#!/usr/bin/env python3
"""Trains a model of `lockstep bench step` with PyTorch's own DistributedDataParallel over gloo, and writes down what
became of it, for the C++ side to repeat.

    bench_peer.py --model gpt --batch 1 --optimizers fused_sgd --ranks 2 --steps 50 --torch-version 2.13.0 --output DIR

Models and data come from seeds, as in the benchmark: nothing but results has to be handed over. Each step has --batch
samples of its own for each rank. DIR/OPTIMIZER/RANK.{index,data} then have, in the format of dump.py,
    losses              one for each step of this rank
and those of rank 0, whose buffers are everybody's, also
    digests             of parameters and buffers: a row before the first step and one after each, in the order of
    final/NAME          these, parameters and buffers in the end
"""

import argparse
import pathlib
import sys

import ranks  # first: it says so when there is no torch

import torch
from torch.nn.parallel import DistributedDataParallel

from digests import Digests
from dump import Dump
from optimizers import OPTIMIZERS

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "src" / "bench_worker" / "step"))
import pytorch_models  # the benchmark's own


class Run:
    """One rank of one training run."""

    def __init__(self, rank, optimizer, arguments):
        self.batch, self.steps, self.leads = arguments.batch, arguments.steps, rank == 0
        self.net, self.inputs, self.targets = pytorch_models.make_task(
            arguments.model, arguments.batch * arguments.steps, [rank]
        )
        # As a view of its bucket a gradient has the same bits, and a step takes a tenth less.
        self.replica = DistributedDataParallel(self.net, gradient_as_bucket_view=True)
        self.optimizer = OPTIMIZERS[optimizer](self.net.parameters())
        self.state = [*self.net.named_parameters(), *self.net.named_buffers()]
        self.digests = Digests(max(tensor.nbytes for _, tensor in self.state))

    def train(self, dump):
        losses, digests = [], [self.digest()]
        for step in range(self.steps):
            losses.append(self.step(slice(step * self.batch, (step + 1) * self.batch)))
            digests.append(self.digest())
        dump.add("losses", torch.stack(losses))
        if self.leads:
            dump.add("digests", torch.stack(digests))
            dump.add_all("final", self.state)

    def step(self, samples):
        loss = pytorch_models.loss_of(self.replica(self.inputs[samples]), self.targets[samples])
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def digest(self):
        return self.digests.of(tensor for _, tensor in self.state) if self.leads else None


def train(rank, arguments):
    for optimizer in arguments.optimizers:
        folder = arguments.output / optimizer
        folder.mkdir(parents=True, exist_ok=True)
        with Dump(folder / str(rank)) as dump:
            Run(rank, optimizer, arguments).train(dump)


def parse_arguments():
    parser = argparse.ArgumentParser(description="PyTorch's side of a parity test with a model of the benchmark.")
    parser.add_argument("--model", choices=["mlp", "gpt", "resnet18"], required=True)
    parser.add_argument("--batch", type=int, required=True, help="samples per rank and step")
    parser.add_argument("--optimizers", choices=OPTIMIZERS, nargs="+", required=True)
    ranks.add_arguments(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(ranks.run(train, parse_arguments()))
