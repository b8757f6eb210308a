#!/usr/bin/env python3
"""One rank of `lockstep bench step` that trains with PyTorch's DistributedDataParallel over Gloo.

Speaks the protocol of bench_worker/messages.h: one JSON object per packet of the coordinator's Unix socket. Nothing
is tuned: this is what somebody gets who follows PyTorch's tutorial, with one thread per rank.
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
    return parser.parse_args()


def pin_to_core(rank):
    """Before torch is loaded, so that all of its threads stay there too."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})


def peak_rss_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    raise RuntimeError("/proc/self/status has no VmHWM")


class Trainer:
    def __init__(self, options):
        import torch
        import torch.distributed

        import pytorch_models

        self.torch, self.distributed, self.models = torch, torch.distributed, pytorch_models
        self.options = options
        self.store = None
        self.optimizer = None
        torch.set_num_threads(1)

    def invite(self):
        """The port of the store through which the ranks meet."""
        self.store = self.make_store(0, is_master=True)
        return str(self.store.port)

    def make_store(self, port, is_master):
        return self.distributed.TCPStore(
            "127.0.0.1", port, self.options.size, is_master=is_master, wait_for_workers=False)

    def prepare(self, invitation):
        options = self.options
        store = self.store or self.make_store(int(invitation), is_master=False)
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        self.distributed.init_process_group("gloo", store=store, rank=options.rank, world_size=options.size)
        net, self.input, self.target = self.models.make_task(options.model, options.batch, options.rank)
        self.net = self.torch.nn.parallel.DistributedDataParallel(net, gradient_as_bucket_view=options.view)
        self.optimizer = self.torch.optim.SGD(self.net.parameters(), lr=0.01, momentum=0.9)
        return {"text": f"PyTorch {self.torch.__version__}"}

    def train(self, steps):
        """The first step, after the others had the cores, does not count."""
        if self.optimizer is None:
            raise RuntimeError("this worker was not told to join before it is to train")
        times = []
        for _ in range(steps + 1):
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
    answer = {"error": "", "text": "", "times_ns": [], "loss": 0.0, "peak_rss_bytes": 0}
    try:
        answer.update(trainer.carry_out(json.loads(text)))
        answer["peak_rss_bytes"] = peak_rss_bytes()
    except Exception as error:  # whatever it is, the coordinator wants to know
        answer["error"] = f"{type(error).__name__}: {error}"
    return json.dumps(answer).encode()


def main():
    options = parse_arguments()
    pin_to_core(options.rank)
    trainer = Trainer(options)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as coordinator:
        coordinator.connect("\0" + options.socket)
        invitation = trainer.invite() if options.rank == 0 else ""
        coordinator.send(json.dumps({"rank": options.rank, "invitation": invitation}).encode())
        try:
            while order := coordinator.recv(LONGEST_TEXT):
                coordinator.send(answer_to(trainer, order))
        except ConnectionError:
            pass  # the coordinator went away before the answer: the end, just as well
    return 0


if __name__ == "__main__":
    sys.exit(main())
