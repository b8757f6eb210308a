#!/usr/bin/env python3
"""Trains with PyTorch's own DistributedDataParallel over gloo and writes down what it did, for the C++ side to repeat.

    peer.py --ranks 2 --scenarios plain unused --steps 50 --torch-version 2.13.0 --output DIR

trains every model with each of the --optimizers, sgd and adamw when none is named, in each scenario.
DIR/SCENARIO/MODEL.OPTIMIZER/RANK.{index,data} then have, in the format of dump.py,
    inputs targets losses          one row for each pass of this rank
    synchronise detours            0 or 1 for each pass: see scenarios.py
    buffer/NAME final/NAME         buffers and parameters of this rank in the end
and those of the last rank, which has data for all steps, also
    parameter/STEP/NAME            the parameters before that step
    gradient/STEP/NAME             what the optimizer got in that step; without a line, it got none
"""

import argparse
import contextlib
import itertools
import sys

import ranks  # first: it says so when there is no torch

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from dump import Dump
from models import MODELS
from optimizers import OPTIMIZERS
from scenarios import SCENARIOS


class Run:
    """One rank of one model under one optimizer."""

    def __init__(self, scenario, model, optimizer, arguments, dump):
        self.scenario = SCENARIOS[scenario]
        self.passes = self.scenario.passes(distributed.get_rank(), arguments.ranks, arguments.steps)
        self.dump = dump
        self.leads = distributed.get_rank() == arguments.ranks - 1
        torch.manual_seed(1)
        self.module = MODELS[model](spare=self.scenario.unused)
        self.replica = DistributedDataParallel(self.module, find_unused_parameters=self.scenario.unused)
        self.optimizer = OPTIMIZERS[optimizer](self.module.parameters())
        self.steps_taken = 0

    def train(self):
        generator = torch.Generator().manual_seed(1000 + distributed.get_rank())
        batches = [self.module.batch(generator) for _ in self.passes]
        join = contextlib.nullcontext()
        if self.scenario.join is not None:
            join = self.replica.join(**self.scenario.join)
        with join:
            losses = [self.one_pass(kind, *batch) for kind, batch in zip(self.passes, batches)]
        self.write_passes(batches, losses)
        self.dump.add_all("buffer", self.module.named_buffers())
        self.dump.add_all("final", self.module.named_parameters())

    def one_pass(self, kind, inputs, targets):
        with contextlib.nullcontext() if kind.synchronise else self.replica.no_sync():
            loss = self.module.loss(self.replica(inputs, kind.detour), targets)
            loss.backward()
        if kind.synchronise:
            self.step()
        return loss.detach()

    def step(self):
        if self.leads:
            named = list(self.module.named_parameters())
            self.dump.add_all(f"parameter/{self.steps_taken}", named)
            self.dump.add_all(f"gradient/{self.steps_taken}", ((name, value.grad) for name, value in named))
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.steps_taken += 1

    def write_passes(self, batches, losses):
        inputs, targets = zip(*batches)
        self.dump.add("inputs", torch.stack(inputs))
        self.dump.add("targets", torch.stack(targets))
        self.dump.add("losses", torch.stack(losses))
        self.dump.add("synchronise", torch.tensor([int(kind.synchronise) for kind in self.passes]))
        self.dump.add("detours", torch.tensor([int(kind.detour) for kind in self.passes]))


def train(rank, arguments):
    for scenario, model, optimizer in itertools.product(arguments.scenarios, MODELS, arguments.optimizers):
        folder = arguments.output / scenario / f"{model}.{optimizer}"
        folder.mkdir(parents=True, exist_ok=True)
        with Dump(folder / str(rank)) as dump:
            Run(scenario, model, optimizer, arguments, dump).train()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scenarios", choices=SCENARIOS, nargs="+", required=True)
    parser.add_argument("--optimizers", choices=OPTIMIZERS, nargs="+", default=["sgd", "adamw"])
    ranks.add_arguments(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(ranks.run(train, parse_arguments()))
