"""Checkpoints as torch.save writes them, without torch."""

import io
import json
import pickle
import struct
import subprocess
import sys
import types
import zipfile
from array import array
from collections import OrderedDict
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]


class Storage:
    """Numbers in an entry of the archive. ``numel`` is what the pickle says about their number."""

    def __init__(self, numbers, numel=None):
        self.bytes = array("f", numbers).tobytes()
        self.numel = len(numbers) if numel is None else numel


class Tensor:
    """What a pickle has instead of a tensor: a call of torch._utils._rebuild_tensor_v2."""

    def __init__(self, storage, shape, offset=0, strides=None, more=()):
        self.storage = storage
        if strides is None:
            strides = contiguous(shape)
        self.arguments = (storage, offset, shape, strides, False, OrderedDict(), *more)

    def __reduce__(self):
        return sys.modules["torch._utils"]._rebuild_tensor_v2, self.arguments


def contiguous(shape):
    strides = []
    for length in reversed(shape):
        strides.append(strides[-1] * previous if strides else 1)
        previous = length
    return tuple(reversed(strides))


def tensor(numbers, *shape):
    return Tensor(Storage(numbers), shape)


def stub_modules():
    """Returns modules with the names that torch's pickles refer to."""

    def _rebuild_tensor_v2():
        pass

    modules = {name: types.ModuleType(name) for name in ("torch", "torch._utils")}
    _rebuild_tensor_v2.__module__ = "torch._utils"
    _rebuild_tensor_v2.__qualname__ = "_rebuild_tensor_v2"
    modules["torch._utils"]._rebuild_tensor_v2 = _rebuild_tensor_v2
    for name in ("FloatStorage", "DoubleStorage"):
        setattr(modules["torch"], name, type(name, (), {"__module__": "torch"}))
    return modules


class Pickler(pickle.Pickler):
    """Storages become persistent identifiers, numbered from 0."""

    def __init__(self, file, kind="FloatStorage"):
        super().__init__(file, protocol=2)
        self.storages = []
        self.kind = kind

    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        if value not in self.storages:
            self.storages.append(value)
        kind = getattr(sys.modules["torch"], self.kind)
        return "storage", kind, str(self.storages.index(value)), "cpu", value.numel


def pickled(value, kind="FloatStorage"):
    """Returns a pickle and the storages that it refers to."""
    file = io.BytesIO()
    pickler = Pickler(file, kind)
    with mock.patch.dict(sys.modules, stub_modules()):
        pickler.dump(value)
    return file.getvalue(), [storage.bytes for storage in pickler.storages]


def archive(text, storages=(), name="model", compression=zipfile.ZIP_STORED, byteorder=b"little"):
    """Returns the archive that holds a pickle and storages."""
    contents = {"data.pkl": text, "byteorder": byteorder, "version": b"3\n"}
    contents |= {f"data/{key}": numbers for key, numbers in enumerate(storages)}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as entries:
        for entry, content in contents.items():
            if content is not None:
                entries.writestr(zipfile.ZipInfo(f"{name}/{entry}"), content, compression)
    return file.getvalue()


def checkpoint(config, tensors, **options):
    """Returns a checkpoint. Its state_dict has the attribute ``_metadata``, as that of a module has."""
    state = OrderedDict(tensors)
    state._metadata = OrderedDict({"": {"version": 1}, "decoder": {"version": 1}})
    return archive(*pickled({"config": config, "state_dict": state}), **options)


def read_safetensors(content):
    """Returns the texts, the declarations of the tensors, and the data of each."""
    (length,) = struct.unpack_from("<Q", content)
    declarations = json.loads(content[8 : 8 + length])
    assert length % 8 == 0
    texts = declarations.pop("__metadata__")
    data = content[8 + length :]
    slices = {name: data[slice(*entry["data_offsets"])] for name, entry in declarations.items()}
    assert b"".join(slices.values()) == data
    return texts, declarations, slices


def checkpoint_of(content):
    """Returns the checkpoint whose conversion gives a safetensors file."""
    texts, declarations, slices = read_safetensors(content)
    tensors = {}
    for name, declaration in declarations.items():
        assert declaration["dtype"] == "F32"
        tensors[name] = tensor(array("f", bytes(slices[name])), *declaration["shape"])
    return checkpoint({name: value_of(text) for name, text in texts.items()}, tensors)


def value_of(text):
    """Returns the value that a text of a safetensors file stands for."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def random_model(path):
    """Writes a small model of random weights."""
    sizes = "num_quantiles=9 embed_dim=16 col_num_blocks=1 col_nhead=2 col_num_inds=4 row_num_blocks=2 row_nhead=2"
    more = "row_num_cls=2 icl_num_blocks=2 icl_nhead=2"
    command = [sys.executable, ROOT / "scripts" / "random-weights", path, *sizes.split(), *more.split()]
    subprocess.run(command, check=True, capture_output=True)
    return path
