"""The models of the parity tests. models.cpp has the same ones: the same operations in the same order.

Every model has a detour, layers that a forward may leave out, and on request a spare layer that no forward uses.
"""

import torch
from torch import nn
from torch.nn import functional


class Mlp(nn.Module):
    def __init__(self, spare):
        super().__init__()
        self.first = nn.Linear(16, 48)
        self.detour = nn.Linear(48, 48)
        self.last = nn.Linear(48, 8)
        if spare:
            self.spare = nn.Linear(8, 8)

    def forward(self, inputs, detour):
        x = torch.relu(self.first(inputs))
        if detour:
            x = torch.relu(self.detour(x))
        return self.last(x)

    @staticmethod
    def batch(generator):
        return torch.randn(8, 16, generator=generator), torch.randn(8, 8, generator=generator)

    @staticmethod
    def loss(output, targets):
        return functional.mse_loss(output, targets)


class ConvBlock(nn.Module):
    """Without a bias in the convolution: batch norm takes it out again, so its gradient would be rounding errors."""

    def __init__(self, channels_in, channels_out):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels_out)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class Cnn(nn.Module):
    def __init__(self, spare):
        super().__init__()
        self.first = ConvBlock(3, 8)
        self.detour = ConvBlock(8, 8)
        self.last = nn.Linear(8 * 8 * 8, 10)
        if spare:
            self.spare = nn.Linear(8, 8)

    def forward(self, inputs, detour):
        x = self.first(inputs)
        if detour:
            x = self.detour(x)
        return self.last(x.flatten(1))

    @staticmethod
    def batch(generator):
        return torch.randn(8, 3, 8, 8, generator=generator), torch.randint(10, (8,), generator=generator)

    @staticmethod
    def loss(output, targets):
        return functional.cross_entropy(output, targets)


class GptBlock(nn.Module):
    """Attention in plain matrix products: a fused kernel would be free to choose its order of summation."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)
        self.norm2 = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.contract = nn.Linear(4 * width, width)

    def attend(self, x):
        batch, context, width = x.shape
        shape = (batch, context, self.heads, width // self.heads)
        query, key, value = (part.view(shape).transpose(1, 2) for part in self.qkv(x).chunk(3, 2))
        scores = query.matmul(key.transpose(2, 3)) * (width // self.heads) ** -0.5
        future = torch.ones(context, context, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(3)
        return self.projection(weights.matmul(value).transpose(1, 2).reshape(batch, context, width))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.contract(functional.gelu(self.expand(self.norm2(x))))


class Gpt(nn.Module):
    """The table of token embeddings is also the output layer."""

    VOCABULARY, WIDTH, HEADS, CONTEXT = 64, 32, 2, 16

    def __init__(self, spare):
        super().__init__()
        self.tokens = nn.Embedding(self.VOCABULARY, self.WIDTH)
        self.positions = nn.Embedding(self.CONTEXT, self.WIDTH)
        self.first = GptBlock(self.WIDTH, self.HEADS)
        self.detour = GptBlock(self.WIDTH, self.HEADS)
        self.norm = nn.LayerNorm(self.WIDTH)
        if spare:
            self.spare = nn.Linear(8, 8)

    def forward(self, inputs, detour):
        x = self.tokens(inputs) + self.positions(torch.arange(inputs.size(1)))
        x = self.first(x)
        if detour:
            x = self.detour(x)
        return functional.linear(self.norm(x), self.tokens.weight)

    @staticmethod
    def batch(generator):
        text = torch.randint(Gpt.VOCABULARY, (2, Gpt.CONTEXT + 1), generator=generator)
        return text[:, :-1].contiguous(), text[:, 1:].contiguous()

    @staticmethod
    def loss(output, targets):
        return functional.cross_entropy(output.flatten(0, 1), targets.flatten())


MODELS = {"mlp": Mlp, "cnn": Cnn, "gpt": Gpt}
