#!/usr/bin/env python3
"""A worker of `lockstep bench step` that trains with PyTorch as people use it from Python.

Either one rank of DistributedDataParallel over Gloo with one thread, or, with --threads, one process without it that
trains on the batches of all ranks, with a thread on each of their cores. Nothing else is tuned: this is what somebody
gets who follows PyTorch's tutorial.

Speaks the protocol of bench_worker/messages.h: one JSON object per packet of the coordinator's Unix socket.
"""

import argparse
import json
import math
import os
import socket
import sys
import time

MOST_ITERATIONS = 4000
LONGEST_TEXT = 128 << 10


def parse_arguments():
    parser = argparse.ArgumentParser(description="One rank of 'lockstep bench step', which starts it by itself.")
    parser.add_argument("--socket", required=True)
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--model", choices=["mlp", "gpt", "resnet18", "mlp-tiny"], required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--view", action="store_true", help="gradient_as_bucket_view")
    parser.add_argument("--threads", type=int, default=0, help="in place of so many ranks; 0: one rank of several")
    parser.add_argument("--fused", action="store_true", help="the fused optimizer")
    return parser.parse_args()


def ranks_of(options):
    """Those whose batches and cores are this worker's."""
    return range(options.threads) if options.threads > 0 else range(options.rank, options.rank + 1)


def pin_to_cores(ranks):
    """Before torch is loaded, so that all of its threads stay there too."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)] for rank in ranks})


class Trainer:
    def __init__(self, options):
        import torch
        import torch.distributed

        import pytorch_models

        self.torch, self.distributed, self.models = torch, torch.distributed, pytorch_models
        self.options = options
        self.store = None
        self.optimizer = None
        torch.set_num_threads(len(ranks_of(options)))

    def invite(self):
        """The port of the store through which the ranks meet."""
        if self.options.threads > 0:
            return ""
        self.store = self.make_store(0, is_master=True)
        return str(self.store.port)

    def make_store(self, port, is_master):
        return self.distributed.TCPStore(
            "127.0.0.1", port, self.options.size, is_master=is_master, wait_for_workers=False)

    def prepare(self, invitation):
        options = self.options
        self.net, self.input, self.target = self.models.make_task(options.model, options.batch, ranks_of(options))
        if options.threads == 0:
            self.join(invitation)
            self.net = self.torch.nn.parallel.DistributedDataParallel(
                self.net, gradient_as_bucket_view=options.view)
        # None, not False: without the flag PyTorch chooses among its implementations.
        self.optimizer = self.torch.optim.SGD(
            self.net.parameters(), lr=0.01, momentum=0.9, fused=options.fused or None)
        return {"text": f"PyTorch {self.torch.__version__}"}

    def join(self, invitation):
        options = self.options
        store = self.store or self.make_store(int(invitation), is_master=False)
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        self.distributed.init_process_group("gloo", store=store, rank=options.rank, world_size=options.size)

    def train(self, steps):
        """The first step, after the others had the cores, does not count."""
        if self.optimizer is None:
            raise RuntimeError("this worker was not told to join before it is to train")
        times = []
        for _ in range(steps + 1):
            if self.options.threads == 0:
                self.distributed.barrier()
            start = time.perf_counter_ns()
            loss = self.step()
            times.append(time.perf_counter_ns() - start)
        value = loss.item()
        if not math.isfinite(value):
            raise RuntimeError(f"the loss is {value}")
        return {"times_ns": times[1:], "loss": value}

    def step(self):
        self.optimizer.zero_grad()
        loss = self.models.loss_of(self.net(self.input), self.target)
        loss.backward()
        self.optimizer.step()
        return loss

    def carry_out(self, order):
        if order["kind"] == "join":
            return self.prepare(order["invitation"])
        if order["kind"] != "measure" or not 1 <= order["iterations"] <= MOST_ITERATIONS:
            raise RuntimeError(f"this worker does 1 to {MOST_ITERATIONS} training steps, "
                               f"not {order['iterations']} of something else")
        return self.train(order["iterations"])


def answer_to(trainer, text):
    answer = {"error": "", "text": "", "times_ns": [], "loss": 0.0}
    try:
        answer.update(trainer.carry_out(json.loads(text)))
    except Exception as error:  # any failure is reported to the coordinator
        answer["error"] = f"{type(error).__name__}: {error}"
    return json.dumps(answer).encode()


def main():
    options = parse_arguments()
    pin_to_cores(ranks_of(options))
    trainer = Trainer(options)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as coordinator:
        coordinator.connect("\0" + options.socket)
        invitation = trainer.invite() if options.rank == 0 else ""
        coordinator.send(json.dumps({"rank": options.rank, "invitation": invitation}).encode())
        try:
            while order := coordinator.recv(LONGEST_TEXT):
                coordinator.send(answer_to(trainer, order))
        except ConnectionError:
            pass  # the coordinator exited before the answer: this worker exits too
    return 0


if __name__ == "__main__":
    exit_code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Skip the shutdown: PyTorch sometimes aborts if the interpreter exits while its process group is alive.
    os._exit(exit_code)
