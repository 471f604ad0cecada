"""Files of weights in the safetensors format.

    write(FILE, {"name": tensor}, {"key": "text"})
    tensors, texts = read(FILE)

The format: the length of the header (8 bytes, little endian), the header (JSON: name -> dtype, shape, data_offsets),
the raw data. It needs no package beside PyTorch.
"""

import ctypes
import json
import struct

import torch

NAMES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}
TYPES = {name: dtype for dtype, name in NAMES.items()}


def raw_bytes(tensor):
    tensor = tensor.detach().cpu().contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())


def write(path, tensors, metadata):
    """Writes tensors under their names, and the texts of `metadata`."""
    header, offset = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        size = tensor.numel() * tensor.element_size()
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(raw_bytes(tensor))


def read(path):
    """Returns the tensors by name, and the texts of the metadata."""
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(length))
        data = bytearray(file.read())
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        dtype = TYPES[entry["dtype"]]
        flat = torch.frombuffer(data[begin:end], dtype=dtype)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors, metadata
