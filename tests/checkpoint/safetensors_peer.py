"""The safetensors package of Python beside ours.

  safetensors_peer.py write FILE    writes a file of every type that both know
  safetensors_peer.py read FILE     prints of every tensor, by name: dtype, shape and bytes in hexadecimal, then metadata

Leaves with 77 where there is no such package.
"""

import ctypes
import sys

try:
    import safetensors
except ImportError as problem:
    print(f"{sys.executable} has no safetensors ({problem}); tools/bootstrap --checks installs it", file=sys.stderr)
    sys.exit(77)

TENSORS = {
    "a.weight": ("float32", [2, 3], bytes(range(24))),
    "a.bias": ("float64", [2], bytes(range(100, 116))),
    "größe": ("uint8", [3], b"\x00\x80\xff"),
    "half": ("float16", [1], b"\x00\x3e"),
    "brain": ("bfloat16", [2], b"\x80\x3f\x80\xbf"),
    "long": ("int64", [], b"\xd6" + b"\xff" * 7),
    "int": ("int32", [1, 1], b"\x01\x02\x03\x04"),
    "short": ("int16", [1], b"\xfe\xff"),
    "byte": ("int8", [1], b"\xf8"),
    "mask": ("bool", [3], b"\x01\x00\x01"),
    "none": ("float32", [0, 4], b""),
}


def write(path):
    memory = {name: ctypes.create_string_buffer(data, max(len(data), 1)) for name, (_, _, data) in TENSORS.items()}
    tensors = {
        name: safetensors.TensorSpec(
            dtype=dtype, shape=shape, data_ptr=ctypes.addressof(memory[name]), data_len=len(data))
        for name, (dtype, shape, data) in TENSORS.items()
    }
    safetensors.serialize_file(tensors, path, {"format": "pt"})


def read(path):
    with open(path, "rb") as file:
        tensors = safetensors.deserialize(file.read())
    for name, tensor in sorted(tensors, key=lambda entry: entry[0].encode()):
        shape = ",".join(str(length) for length in tensor["shape"])
        print(f"{name} {tensor['dtype']} [{shape}] {bytes(tensor['data']).hex()}")
    with safetensors.safe_open(path, "np") as file:
        for name, text in sorted((file.metadata() or {}).items()):
            print(f"metadata {name} {text}")


{"write": write, "read": read}[sys.argv[1]](sys.argv[2])
