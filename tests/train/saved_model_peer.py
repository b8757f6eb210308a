"""A model that a training program saved, as Python sees it: by safetensors, and by torch.load of what lockstep-convert made.

  saved_model_peer.py MODEL.safetensors MODEL.pt    prints of every tensor its name, type and shape; fails when they differ

Leaves with 77 where a package is missing.
"""

import sys

try:
    import torch
    from safetensors.torch import load_file
except ImportError as problem:
    print(f"{sys.executable}: {problem}; tools/bootstrap --checks installs it", file=sys.stderr)
    sys.exit(77)

saved = load_file(sys.argv[1])
converted = torch.load(sys.argv[2], weights_only=True)
if sorted(saved) != sorted(converted):
    sys.exit(f"{sorted(saved)} are not {sorted(converted)}")
for name in sorted(saved):
    if saved[name].dtype != converted[name].dtype or not torch.equal(saved[name], converted[name]):
        sys.exit(f"{name} differs")
    print(name, saved[name].dtype, list(saved[name].shape))
