"""Converts the checkpoint of the regressor TabICLv2 to the safetensors file that the method ``tabicl`` reads.

    python3 -m oscbo.tabicl_convert FILE.ckpt [--out FILE.safetensors] [--force]

A checkpoint is a zip archive that torch.save has written. Its entry ``data.pkl`` is a pickle; the entries ``data/0``
onwards hold the numbers of the tensors. A pickle may call any function, allocate any amount of memory, and crash Python
with deeply nested values. Therefore the module ``pickle`` is not used. Instead, :class:`_Pickle` reads the few opcodes
that a dictionary of tensors needs. It neither imports nor calls what the file names.

This file needs nothing but the standard library and also runs on its own: ``python3 tabicl_convert.py FILE.ckpt``.
"""

from __future__ import annotations

import argparse
import enum
import hashlib
import io
import json
import math
import os
import pickletools
import re
import shlex
import struct
import sys
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

__all__ = ["ConversionError", "Converted", "convert", "safetensors_of"]

CHECKPOINT = "tabicl-regressor-v2-20260212.ckpt"
CHECKPOINT_SHA256 = "0db9cb538f114e79026bf08f45f41ad8dd7ad2de2aaca9a5ca8cd3bd9748ae7a"

# Limits for a checkpoint. The public one has 114 MB, a pickle of 50 kB and 347 tensors.
_MOST_BYTES = 1 << 30
_MOST_PICKLE_BYTES = 1 << 20
_MOST_TENSORS = 4096
_MOST_DIMENSIONS = 8
_MOST_ENTRIES = 1 << 40

_FLOAT_BYTES = 4
_METADATA = "__metadata__"

# Exit statuses, as docs/cli.md lists them.
_INVALID_VALUE = 3
_CONFLICT = 5
_IO = 6
_INTERRUPTED = 130


class ConversionError(Exception):
    """A file is not accepted, or cannot be read or written. Nothing was written.

    Attributes:
        file: the file, if it is not the checkpoint.
        status: the exit status of the command.
    """

    def __init__(self, message: str, *, file: Path | None = None, status: int = _INVALID_VALUE) -> None:
        super().__init__(message)
        self.file = file
        self.status = status


class Converted(NamedTuple):
    """A summary of a conversion: what was written, and the checksum of the checkpoint."""

    tensors: int
    numbers: int
    size: int
    sha256: str
    checkpoint_sha256: str


# --- the archive -----------------------------------------------------------------------------------

# What zipfile raises for damaged archives; this depends on the version of Python. RuntimeError is for encrypted
# entries, OverflowError for offsets of 2^63 or more.
_ZIP_ERRORS = (zipfile.BadZipFile, RuntimeError, EOFError, ValueError, OverflowError, struct.error)


class _Archive:
    """The entries of a checkpoint: ``NAME/data.pkl``, ``NAME/byteorder`` and ``NAME/data/0`` onwards."""

    def __init__(self, checkpoint: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(checkpoint))
        except _ZIP_ERRORS:
            raise ConversionError(
                "is not an archive that torch.save has written; it may be cut off or another kind of file"
            ) from None
        found = [re.fullmatch(r"([^/]+)/data\.pkl", name) for name in self._zip.namelist()]
        names = [match[1] for match in found if match]
        if len(names) != 1:
            raise ConversionError(f"has {len(names)} entries NAME/data.pkl; a checkpoint of torch.save has one")
        self._name = names[0]
        order = self.read("byteorder", most=16) if self._has("byteorder") else b"little"
        if order != b"little":
            raise ConversionError(f"has the byte order {order!r}; only little-endian files are accepted")

    def _has(self, name: str) -> bool:
        return f"{self._name}/{name}" in self._zip.NameToInfo

    def read(self, name: str, most: int) -> bytes:
        """Returns the bytes of an entry."""
        if not self._has(name):
            raise ConversionError(f"has no entry {name}")
        entry = self._zip.NameToInfo[f"{self._name}/{name}"]
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise ConversionError(f"entry {name} is compressed; torch.save does not compress")
        if entry.file_size > most:
            raise ConversionError(f"entry {name} has {entry.file_size} bytes; at most {most} are accepted")
        try:
            return self._zip.read(entry)
        except _ZIP_ERRORS as error:
            raise ConversionError(f"entry {name} is damaged: {_shown(error) or 'it is cut off'}") from None


def _shown(value: object) -> str:
    """Returns a value from the file in a form that is safe to print: short, and without control characters."""
    text = str(value)
    return ascii(text[:100])[1:-1] + "..." * (len(text) > 100)


# --- the pickle ------------------------------------------------------------------------------------


class _Name(enum.Enum):
    """The names that a pickle may use."""

    ORDERED_DICT = "collections OrderedDict"
    REBUILD_TENSOR = "torch._utils _rebuild_tensor_v2"
    FLOAT_STORAGE = "torch FloatStorage"


class _OrderedDict(dict[str, object]):
    """A dictionary that the pickle declares as an OrderedDict."""


@dataclass(frozen=True)
class _Storage:
    """Numbers in an entry of the archive."""

    key: str
    numel: int

    @property
    def size(self) -> int:
        return _FLOAT_BYTES * self.numel


@dataclass(frozen=True)
class _Tensor:
    storage: _Storage
    offset: int
    shape: tuple[int, ...]

    @property
    def numel(self) -> int:
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        return _FLOAT_BYTES * self.numel


_MARK = object()


class _Pickle:
    """A stack machine for the opcodes of protocol 2 that torch.save writes."""

    def __init__(self) -> None:
        self._stack: list[object] = []
        self._memo: dict[object, object] = {}

    def read(self, text: bytes) -> object:
        """Returns the value that a pickle describes."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of backslashes in names
                for opcode, argument, _ in pickletools.genops(text):
                    self._do(opcode.name, argument)
            (value,) = self._stack
        except (ValueError, LookupError) as error:
            raise ConversionError(f"data.pkl is damaged: {_shown(error)}") from None
        return value

    def _do(self, opcode: str, argument: object) -> None:
        match opcode:
            case "PROTO" | "STOP":
                pass
            case "NONE" | "BININT" | "BININT1" | "BININT2" | "LONG1" | "BINFLOAT" | "BINUNICODE":
                self._stack.append(argument)
            case "NEWTRUE" | "NEWFALSE":
                self._stack.append(opcode == "NEWTRUE")
            case "EMPTY_DICT":
                self._stack.append({})
            case "EMPTY_LIST":
                self._stack.append([])
            case "EMPTY_TUPLE":
                self._stack.append(())
            case "MARK":
                self._stack.append(_MARK)
            case "TUPLE":
                self._stack.append(tuple(self._pop_marked()))
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                self._stack.append(tuple(self._pop(int(opcode[-1]))))
            case "APPEND" | "APPENDS":
                self._append(self._pop(1) if opcode == "APPEND" else self._pop_marked())
            case "SETITEM" | "SETITEMS":
                self._set_items(self._pop(2) if opcode == "SETITEM" else self._pop_marked())
            case "BINPUT" | "LONG_BINPUT":
                self._memo[argument] = self._stack[-1]
            case "BINGET" | "LONG_BINGET":
                self._stack.append(self._memo[argument])
            case "GLOBAL":
                self._stack.append(_named(str(argument)))
            case "BINPERSID":
                self._stack.append(_storage(*self._pop(1)))
            case "REDUCE":
                self._stack.append(_reduced(*self._pop(2)))
            case "BUILD":
                self._build()
            case _:
                raise ConversionError(f"data.pkl has the opcode {opcode}, which torch.save does not write")

    def _pop(self, count: int) -> list[object]:
        if len(self._stack) < count:
            raise IndexError("values are missing")
        values = self._stack[-count:]
        del self._stack[-count:]
        return values

    def _pop_marked(self) -> list[object]:
        """Returns the values above the last mark, and removes them and the mark."""
        values = []
        while (value := self._stack.pop()) is not _MARK:
            values.append(value)
        return values[::-1]

    def _append(self, values: list[object]) -> None:
        target = self._stack[-1]
        if not isinstance(target, list):
            raise ValueError("only lists can be appended to")
        target.extend(values)

    def _set_items(self, items: list[object]) -> None:
        target = self._stack[-1]
        if not isinstance(target, dict) or len(items) % 2 != 0:
            raise ValueError("only dictionaries have items")
        for key, value in zip(items[::2], items[1::2]):
            if not isinstance(key, str):
                raise ValueError("keys must be texts")
            target[key] = value

    def _build(self) -> None:
        """Drops the attributes of an OrderedDict. In a state_dict, they only hold the versions of its modules."""
        self._pop(1)
        if not isinstance(self._stack[-1], _OrderedDict):
            raise ConversionError("data.pkl sets attributes of something that is not an OrderedDict")


def _named(name: str) -> _Name:
    try:
        return _Name(name)
    except ValueError:
        accepted = ", ".join(known.value.replace(" ", ".") for known in _Name)
        raise ConversionError(
            f"data.pkl names {_shown(name.replace(' ', '.'))}; only {accepted} are accepted. Nothing was called"
        ) from None


def _storage(identifier: object) -> _Storage:
    match identifier:
        case ("storage", _Name.FLOAT_STORAGE, str(key), str(), numel) if re.fullmatch("[0-9]{1,9}", key):
            return _Storage(key, *_sizes((numel,), "the size of a storage"))
    raise ConversionError("data.pkl refers to something that is not a storage of floats")


def _reduced(name: object, arguments: object) -> _OrderedDict | _Tensor:
    """Returns the result of a call."""
    match name, arguments:
        case _Name.ORDERED_DICT, ():
            return _OrderedDict()
        case _Name.REBUILD_TENSOR, (_Storage() as storage, offset, shape, strides, bool(), _OrderedDict()):
            return _tensor(storage, offset, shape, strides)
    called = name.value.replace(" ", ".") if isinstance(name, _Name) else "something that is not a function"
    raise ConversionError(f"data.pkl calls {called} with arguments that torch.save does not write")


def _tensor(storage: _Storage, offset: object, shape: object, strides: object) -> _Tensor:
    (begin,) = _sizes((offset,), "the offset of a tensor")
    tensor = _Tensor(storage, begin, _sizes(shape, "the shape of a tensor"))
    expected = 1
    pairs = list(zip(tensor.shape, _sizes(strides, "the strides of a tensor"), strict=True))
    for length, stride in reversed(pairs):
        if length != 1 and stride != expected:
            raise ConversionError(f"a tensor of shape {tensor.shape} is not contiguous, which is not supported")
        expected *= length
    if begin + tensor.numel > storage.numel:
        raise ConversionError(
            f"a tensor of shape {tensor.shape} ends after {begin + tensor.numel} numbers; "
            f"its storage {storage.key} has {storage.numel}"
        )
    return tensor


def _sizes(values: object, what: str) -> tuple[int, ...]:
    if not isinstance(values, tuple) or len(values) > _MOST_DIMENSIONS:
        raise ConversionError(f"{what} must be a tuple of at most {_MOST_DIMENSIONS} integers")
    for value in values:
        if type(value) is not int or not 0 <= value <= _MOST_ENTRIES:
            raise ConversionError(f"{what} must consist of integers from 0 to 2^40")
    return values


# --- the model -------------------------------------------------------------------------------------


def _member(checkpoint: object, name: str) -> Mapping[str, object]:
    """Returns a dictionary of the checkpoint: its ``config`` or its ``state_dict``."""
    if not isinstance(checkpoint, dict):
        raise ConversionError("data.pkl does not hold a dictionary")
    value = checkpoint.get(name)
    if not isinstance(value, dict):
        keys = ", ".join(_shown(key) for key in list(checkpoint)[:20])
        raise ConversionError(f"has no dictionary '{name}'; it has: {keys or 'nothing'}")
    return value


def _config(checkpoint: object) -> dict[str, str]:
    return {key: _config_text(key, value) for key, value in _member(checkpoint, "config").items()}


def _config_text(key: str, value: object) -> str:
    match value:
        case None | bool():
            return json.dumps(value)
        case int() | float() | str():
            return str(value)
    raise ConversionError(f"config: '{_shown(key)}' is neither a number nor a text nor true nor false")


def _tensors(checkpoint: object) -> dict[str, _Tensor]:
    tensors = {}
    for name, value in _member(checkpoint, "state_dict").items():
        if not isinstance(value, _Tensor) or name == _METADATA:
            raise ConversionError(f"state_dict: '{_shown(name)}' is not a tensor")
        tensors[name] = value
    if not 1 <= len(tensors) <= _MOST_TENSORS:
        raise ConversionError(f"has {len(tensors)} tensors; 1 to {_MOST_TENSORS} are accepted")
    return tensors


def _header(config: dict[str, str], tensors: dict[str, _Tensor]) -> bytes:
    declarations: dict[str, object] = {_METADATA: config}
    begin = 0
    for name, tensor in tensors.items():
        end = begin + tensor.size
        declarations[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(declarations, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def _data(archive: _Archive, tensors: dict[str, _Tensor], most: int) -> bytearray:
    """Returns the numbers of the tensors. Each storage is read once, so the time is proportional to the file size."""
    users: dict[_Storage, list[tuple[int, _Tensor]]] = {}
    total = 0
    for tensor in tensors.values():
        users.setdefault(tensor.storage, []).append((total, tensor))
        total += tensor.size
    if sum(storage.size for storage in users) > most or total > _MOST_BYTES:
        raise ConversionError(f"declares tensors of {total} bytes, which do not fit the size of the file")
    data = bytearray(total)
    for storage, places in users.items():
        numbers = archive.read(f"data/{storage.key}", most=storage.size)
        if len(numbers) != storage.size:
            raise ConversionError(f"entry data/{storage.key} has {len(numbers)} bytes instead of {storage.size}")
        for begin, tensor in places:
            source = _FLOAT_BYTES * tensor.offset
            data[begin : begin + tensor.size] = numbers[source : source + tensor.size]
    return data


def safetensors_of(checkpoint: bytes) -> tuple[bytes, bytes | bytearray, int]:
    """Returns the header and the data of the safetensors file for a checkpoint, and the number of its tensors."""
    archive = _Archive(checkpoint)
    value = _Pickle().read(archive.read("data.pkl", most=_MOST_PICKLE_BYTES))
    config, tensors = _config(value), _tensors(value)
    return _header(config, tensors), _data(archive, tensors, most=len(checkpoint)), len(tensors)


# --- files -----------------------------------------------------------------------------------------


def convert(checkpoint: Path, out: Path, *, force: bool = False) -> Converted:
    """Converts a checkpoint; raises ConversionError. With ``force``, replaces ``out`` if it exists."""
    content = _content(checkpoint)
    _refuse_existing(checkpoint, out, force)
    header, data, tensors = safetensors_of(content)
    sha256 = hashlib.sha256(header)
    sha256.update(data)
    try:
        _write(checkpoint, out, header, data, force)
    except OSError as error:
        raise ConversionError(f"cannot be written: {error.strerror}", file=out, status=_IO) from None
    return Converted(
        tensors=tensors,
        numbers=len(data) // _FLOAT_BYTES,
        size=len(header) + len(data),
        sha256=sha256.hexdigest(),
        checkpoint_sha256=hashlib.sha256(content).hexdigest(),
    )


def _content(path: Path) -> bytes:
    if os.path.exists(path) and not os.path.isfile(path):
        raise ConversionError("is not a regular file", status=_IO)
    try:
        with open(path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ConversionError(f"cannot be read: {error.strerror}", status=_IO) from None
    if len(content) > _MOST_BYTES:
        raise ConversionError(f"has more than {_MOST_BYTES} bytes, which is the largest size that is accepted")
    return content


def _refuse_existing(checkpoint: Path, out: Path, force: bool) -> None:
    if os.path.exists(out) and os.path.samefile(out, checkpoint):
        raise ConversionError("is the checkpoint itself; name another file with --out", file=out, status=_CONFLICT)
    if os.path.lexists(out) and not force:
        raise ConversionError("exists already; --force replaces it", file=out, status=_CONFLICT)


def _write(checkpoint: Path, out: Path, header: bytes, data: bytes | bytearray, force: bool) -> None:
    """Writes a file under a temporary name, so that ``out`` is never incomplete."""
    temporary = out.with_name(f".tabicl-{os.getpid()}.part")
    file = open(temporary, "xb")
    try:
        with file:
            file.write(header)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _refuse_existing(checkpoint, out, force)
        os.replace(temporary, out)
    finally:
        temporary.unlink(missing_ok=True)


# --- the command -----------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m oscbo.tabicl_convert",
        description=f"Converts {CHECKPOINT} to a safetensors file, for --set tabicl.weights=FILE.",
        allow_abbrev=False,
    )
    parser.add_argument("checkpoint", metavar="FILE.ckpt", type=Path, help="the checkpoint, as it was downloaded")
    parser.add_argument("--out", metavar="FILE", type=Path, help="the file to write (FILE.safetensors)")
    parser.add_argument("--force", action="store_true", help="replace the file, if it exists")
    arguments = parser.parse_args()
    checkpoint: Path = arguments.checkpoint
    out: Path = arguments.out or checkpoint.parent / f"{checkpoint.stem}.safetensors"
    try:
        converted = convert(checkpoint, out, force=arguments.force)
    except ConversionError as error:
        print(f"oscbo: {error.file or checkpoint}: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print("oscbo: interrupted", file=sys.stderr)
        return _INTERRUPTED
    if converted.checkpoint_sha256 != CHECKPOINT_SHA256:
        print(
            f"oscbo: warning: {checkpoint} has the SHA-256 {converted.checkpoint_sha256}, not that of {CHECKPOINT}, "
            f"{CHECKPOINT_SHA256}: it is another model or was changed",
            file=sys.stderr,
        )
    print(f"wrote {out}: {converted.tensors} tensors, {converted.numbers} numbers, {converted.size} bytes")
    print(f"SHA-256 {converted.sha256}")
    print(f"next: oscbo demo --method tabicl --set tabicl.weights={shlex.quote(str(out))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
