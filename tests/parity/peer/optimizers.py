"""The optimizers of the parity tests, by name. training.cpp has the same ones.

The plain loops, which C++ has too, and the fused ones, which round differently and which sharded optimizers use.
"""

from torch import optim

OPTIMIZERS = {
    "sgd": lambda parameters: optim.SGD(
        parameters, lr=0.02, momentum=0.9, weight_decay=1e-3, foreach=False, fused=False
    ),
    "adamw": lambda parameters: optim.AdamW(parameters, lr=1e-3, weight_decay=1e-2, foreach=False, fused=False),
    "fused_sgd": lambda parameters: optim.SGD(
        parameters, lr=0.02, momentum=0.9, weight_decay=1e-3, fused=True
    ),
    "fused_adam": lambda parameters: optim.Adam(parameters, lr=1e-3, weight_decay=1e-2, fused=True),
    "fused_adamw": lambda parameters: optim.AdamW(parameters, lr=1e-3, weight_decay=1e-2, fused=True),
    "fused_adagrad": lambda parameters: optim.Adagrad(parameters, lr=1e-2, weight_decay=1e-3, fused=True),
}
