"""PyTorch beside lockstep-convert.

  state_dict_peer.py write FOLDER    writes archives as torch.save does: theirs.pt, nested.pt, hostile.pt, script.pt,
                                     legacy.pt
  state_dict_peer.py check FOLDER    compares theirs.pt with theirs.safetensors and back.pt, which were converted from it
                                     and from that, and opens large.zip

Leaves with 77 where there is no torch or safetensors.
"""

import os
import pathlib
import sys
import zipfile

try:
    import safetensors.torch
    import torch
except ImportError as problem:
    print(f"{sys.executable} lacks a package ({problem}); tools/bootstrap --checks installs it", file=sys.stderr)
    sys.exit(77)


class Hostile:
    def __reduce__(self):
        return os.system, ("exit 1",)


def state_dict():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    state = model.state_dict()  # with its _metadata
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    state["shared.a"] = base
    state["shared.b"] = base[1:3]
    state["turned"] = base.t()
    state["columns"] = base[:, 1:4:2]
    state["größe.日本"] = torch.tensor([1.5, float("nan"), float("-inf")])
    state["zero"] = torch.tensor(42)
    state["none"] = torch.zeros(0, 3)
    state["parameter"] = torch.nn.Parameter(torch.ones(2))
    for kind in ("float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"):
        state[kind] = torch.arange(5).to(getattr(torch, kind))
    state["bool"] = torch.tensor([True, False, True])
    return model, state


def write(folder):
    model, state = state_dict()
    torch.save(state, folder / "theirs.pt")
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    torch.save({"epoch": 3, "lr": 1e-3, "note": None, "names": ["a"], "model": model.state_dict(),
                "optimizer": optimizer.state_dict()}, folder / "nested.pt")
    torch.save({"weight": Hostile()}, folder / "hostile.pt")
    torch.jit.save(torch.jit.script(model), folder / "script.pt")
    torch.save(state, folder / "legacy.pt", _use_new_zipfile_serialization=False)


def bits(tensor):
    return bytes(tensor.detach().contiguous().flatten().view(torch.uint8).tolist())


def same(a, b):
    return (a.dtype, a.shape, bits(a)) == (b.dtype, b.shape, bits(b))


def check(folder):
    theirs = torch.load(folder / "theirs.pt", weights_only=True)
    converted = {
        "safetensors": safetensors.torch.load_file(folder / "theirs.safetensors"),
        "back": torch.load(folder / "back.pt", weights_only=True),
        "mapped": torch.load(folder / "back.pt", weights_only=True, mmap=True),
    }
    for form, tensors in converted.items():
        assert type(tensors) is dict, form
        assert tensors.keys() == theirs.keys(), form
        for name, tensor in theirs.items():
            assert same(tensor, tensors[name]), (form, name, tensor, tensors[name])
    nested = torch.load(folder / "nested.pt", weights_only=True)["model"]
    model = safetensors.torch.load_file(folder / "nested.safetensors")
    assert model.keys() == nested.keys() and all(same(nested[name], model[name]) for name in nested)
    with zipfile.ZipFile(folder / "large.zip") as large:
        assert large.testzip() is None
        assert {name: large.read(name) for name in large.namelist()} == {"a/one": b"first", "a/two": b"x" * 1000}
    print("equal")


{"write": write, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
