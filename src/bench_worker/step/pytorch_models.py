"""The models of `lockstep bench step` in Python, the twins of mlp.cpp, gpt.cpp, resnet18.cpp and training_task.cpp.

From the same seed they draw their parameters and batches in the same order, so both sides train the same numbers,
and the coordinator can compare their losses. Change both together.
"""

import torch
import torch.nn.functional as F
from torch import nn

MODEL_SEED = 0
FIRST_BATCH_SEED = 1  # of rank 0
CLASSES = 10
COLORS = 3
IMAGE_SIDE = 32

VOCABULARY = 8192
CONTEXT = 64


class Mlp(nn.Module):
    def __init__(self, inputs, width, layers, classes):
        super().__init__()
        stack = []
        for _ in range(1, layers):
            stack += [nn.Linear(inputs, width), nn.ReLU()]
            inputs = width
        self.layers = nn.Sequential(*stack, nn.Linear(inputs, classes))

    def forward(self, x):
        return self.layers(x)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.contract = nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.contract(F.gelu(self.expand(self.norm2(x))))

    def attend(self, x):
        batch, length, width = x.shape
        # From (batch, length, 3 * width) to three times (batch, heads, length, width / heads).
        parts = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        return self.project(mixed.transpose(1, 2).reshape(batch, length, width))


class Gpt(nn.Module):
    def __init__(self, width=256, heads=4, blocks=6):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(CONTEXT, width)
        self.register_buffer("place", torch.arange(CONTEXT))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(blocks))
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, x):
        x = self.tokens(x) + self.positions(self.place)
        for block in self.blocks:
            x = block(x)
        return self.output(self.norm(x))


def convolution(inputs, outputs, size=3, stride=1):
    return nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False)


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = convolution(inputs, outputs, stride=stride)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = convolution(outputs, outputs)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        inner = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(inner + self.shortcut(x))


class ResNet18(nn.Module):
    STAGES = (64, 128, 256, 512)  # channels
    BLOCKS_PER_STAGE = 2

    def __init__(self, classes):
        super().__init__()
        inputs = self.STAGES[0]
        self.stem = convolution(COLORS, inputs)
        self.norm = nn.BatchNorm2d(inputs)
        blocks = []
        for outputs in self.STAGES:
            for _ in range(self.BLOCKS_PER_STAGE):
                blocks.append(BasicBlock(inputs, outputs, 1 if inputs == outputs else 2))
                inputs = outputs
        self.blocks = nn.Sequential(*blocks)
        self.output = nn.Linear(inputs, classes)

    def forward(self, x):
        features = self.blocks(F.relu(self.norm(self.stem(x))))
        return self.output(features.mean((2, 3)))


MLP_SHAPES = {"mlp": (784, 1024, 8, CLASSES), "mlp-tiny": (8, 16, 3, 4)}


def make_net(model):
    torch.manual_seed(MODEL_SEED)
    if model in MLP_SHAPES:
        return Mlp(*MLP_SHAPES[model])
    return Gpt() if model == "gpt" else ResNet18(CLASSES)


def make_batch(model, batch, rank):
    """The input and the target of one rank."""
    torch.manual_seed(FIRST_BATCH_SEED + rank)
    if model in MLP_SHAPES:
        inputs, *_, classes = MLP_SHAPES[model]
        return torch.randn(batch, inputs), torch.randint(classes, (batch,))
    if model == "gpt":
        return torch.randint(VOCABULARY, (batch, CONTEXT)), torch.randint(VOCABULARY, (batch, CONTEXT))
    return torch.randn(batch, COLORS, IMAGE_SIDE, IMAGE_SIDE), torch.randint(CLASSES, (batch,))


def make_task(model, batch, ranks):
    """The model, and the batches of these ranks as one: input and target."""
    net = make_net(model)
    inputs, targets = zip(*(make_batch(model, batch, rank) for rank in ranks))
    return net, torch.cat(inputs), torch.cat(targets)


def loss_of(output, target):
    return F.cross_entropy(output.flatten(0, -2), target.flatten())
