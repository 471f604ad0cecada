"""The conversion of TabICLv2's checkpoint, and its refusals of anything else."""

import hashlib
import os
import pickle
import random
import struct
import subprocess
import sys
import zipfile
from array import array
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from tabicl_support import (
    ROOT,
    Storage,
    Tensor,
    archive,
    checkpoint,
    checkpoint_of,
    pickled,
    random_model,
    read_safetensors,
    tensor,
)

import oscbo
from oscbo import tabicl_convert
from oscbo.tabicl_convert import ConversionError, convert, safetensors_of

CONFIG = {"max_classes": 0, "dropout": 0.0, "norm_first": True, "recompute": False, "activation": "gelu", "none": None}


def made_up():
    return checkpoint(
        CONFIG,
        {
            "in.weight": tensor([1.5, -0.0, 3e-45, float("inf"), float("nan"), 6.0], 3, 2),
            "in.bias": tensor([0.1, 0.2, 0.3], 3),
            "scalar": tensor([7.0]),
            "column": tensor([1.0, 2.0], 2, 1),
        },
    )


def convert_bytes(content, folder):
    """Returns the converted file."""
    source, out = folder / "model.ckpt", folder / "model.safetensors"
    source.write_bytes(content)
    convert(source, out, force=True)
    return out.read_bytes()


def refusal(content, folder):
    """Returns why a file is refused. Nothing must be left of it."""
    source = folder / "model.ckpt"
    source.write_bytes(content)
    with pytest.raises(ConversionError) as error:
        convert(source, folder / "model.safetensors")
    assert [path.name for path in folder.iterdir()] == ["model.ckpt"]
    return str(error.value)


# --- what is converted -----------------------------------------------------------------------------


def test_tensors_and_configuration_arrive_bit_for_bit(tmp_path):
    texts, declarations, data = read_safetensors(convert_bytes(made_up(), tmp_path))
    assert texts == {
        "max_classes": "0",
        "dropout": "0.0",
        "norm_first": "true",
        "recompute": "false",
        "activation": "gelu",
        "none": "null",
    }
    assert {name: entry["shape"] for name, entry in declarations.items()} == {
        "in.weight": [3, 2],
        "in.bias": [3],
        "scalar": [],
        "column": [2, 1],
    }
    assert {entry["dtype"] for entry in declarations.values()} == {"F32"}
    assert data["in.weight"] == array("f", [1.5, -0.0, 3e-45, float("inf"), float("nan"), 6.0]).tobytes()
    assert data["in.bias"] == array("f", [0.1, 0.2, 0.3]).tobytes()
    assert data["scalar"] == array("f", [7.0]).tobytes()
    assert data["column"] == array("f", [1.0, 2.0]).tobytes()


def test_two_conversions_give_the_same_bytes(tmp_path):
    assert convert_bytes(made_up(), tmp_path) == convert_bytes(made_up(), tmp_path)


def test_the_reference_files_come_back_byte_for_byte(tmp_path):
    folder = Path(os.environ.get("OSCBO_DATA", "/nonexistent")) / "in_context"
    if not folder.is_dir():
        pytest.skip("OSCBO_DATA names no folder that has a folder in_context")
    for name in ("tiny.safetensors", "small.safetensors"):
        content = (folder / name).read_bytes()
        assert convert_bytes(checkpoint_of(content), tmp_path) == content


def test_a_large_number_of_tensors(tmp_path):
    """The pickle then uses the long forms of its opcodes."""
    tensors = {f"layer{i}.weight": tensor([i, i + 0.5], 2) for i in range(400)}
    _, declarations, data = read_safetensors(convert_bytes(checkpoint(CONFIG, tensors), tmp_path))
    assert list(declarations) == list(tensors)
    assert data["layer399.weight"] == array("f", [399.0, 399.5]).tobytes()


def test_tensors_may_share_a_storage(tmp_path):
    storage = Storage(range(10))
    tensors = {"end": Tensor(storage, (2, 2), offset=6), "begin": Tensor(storage, (3,)), "other": tensor([5.0], 1)}
    _, _, data = read_safetensors(convert_bytes(checkpoint(CONFIG, tensors), tmp_path))
    assert data["end"] == array("f", [6, 7, 8, 9]).tobytes()
    assert data["begin"] == array("f", [0, 1, 2]).tobytes()
    assert data["other"] == array("f", [5]).tobytes()


def test_the_strides_of_single_rows_do_not_matter(tmp_path):
    tensors = {"a": Tensor(Storage([1.0, 2.0]), (1, 2, 1), strides=(77, 1, 9))}
    _, _, data = read_safetensors(convert_bytes(checkpoint(CONFIG, tensors), tmp_path))
    assert data["a"] == array("f", [1, 2]).tobytes()


def test_lists_and_other_entries_are_ignored(tmp_path):
    value = {"config": CONFIG, "curr_step": 3, "rates": [0.1, (0.2,), [0.3]], "one": [1]}
    value["state_dict"] = OrderedDict(a=tensor([1.0], 1))
    text, storages = pickled(value)
    texts, _, data = read_safetensors(convert_bytes(archive(text, storages, byteorder=None), tmp_path))
    assert texts["activation"] == "gelu"
    assert list(data) == ["a"]


def test_the_engine_accepts_the_file(tmp_path):
    weights = random_model(tmp_path / "random.safetensors").read_bytes()
    (tmp_path / "model.ckpt").write_bytes(checkpoint_of(weights))
    converted = convert(tmp_path / "model.ckpt", tmp_path / "model.safetensors")
    options = {"tabicl.weights": str(tmp_path / "model.safetensors"), "tabicl.sha256": converted.sha256}
    optimizer = oscbo.Optimizer([(0.0, 1.0), (-1.0, 1.0)], method="tabicl", options=options)
    for x in np.linspace(0.0, 1.0, 10):
        optimizer.tell([x, -x], x)
    for _ in range(3):
        suggestion = optimizer.ask()
        assert suggestion.prediction.sd > 0.0
        optimizer.tell(suggestion, suggestion.x.sum())


# --- the command -----------------------------------------------------------------------------------


def command(*arguments, program=("-m", "oscbo.tabicl_convert"), **options):
    return subprocess.run([sys.executable, *program, *arguments], capture_output=True, text=True, **options)


def test_the_command_says_what_it_wrote(tmp_path):
    (tmp_path / "a b.ckpt").write_bytes(made_up())
    ended = command(tmp_path / "a b.ckpt")
    assert ended.returncode == 0
    out = tmp_path / "a b.safetensors"
    content = out.read_bytes()
    assert ended.stdout.splitlines() == [
        f"wrote {out}: 4 tensors, 12 numbers, {len(content)} bytes",
        f"SHA-256 {hashlib.sha256(content).hexdigest()}",
        f"next: oscbo demo --method tabicl --set tabicl.weights='{out}'",
    ]
    found = hashlib.sha256(made_up()).hexdigest()
    assert f"warning: {tmp_path / 'a b.ckpt'} has the SHA-256 {found}, not that of tabicl-regressor-v2" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_the_known_checkpoint_gives_no_warning(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.ckpt").write_bytes(made_up())
    monkeypatch.setattr(tabicl_convert, "CHECKPOINT_SHA256", hashlib.sha256(made_up()).hexdigest())
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "a.ckpt")])
    assert tabicl_convert.main() == 0
    assert capsys.readouterr().err == ""


def test_the_command_runs_without_the_package(tmp_path):
    (tmp_path / "a.ckpt").write_bytes(made_up())
    program = ["-I", "-S", ROOT / "python" / "oscbo" / "tabicl_convert.py"]
    ended = command("a.ckpt", "--out", "b.safetensors", program=program, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "b.safetensors").read_bytes() == convert_bytes(made_up(), tmp_path)


def test_existing_files_are_kept_unless_forced(tmp_path):
    source, out = tmp_path / "a.ckpt", tmp_path / "a.safetensors"
    source.write_bytes(made_up())
    out.write_text("mine")
    ended = command(source)
    assert ended.returncode == 5
    assert ended.stderr == f"oscbo: {out}: exists already; --force replaces it\n"
    assert out.read_text() == "mine"
    assert command(source, "--force").returncode == 0
    assert out.read_bytes() == convert_bytes(made_up(), tmp_path)


def test_existing_files_are_noticed_before_the_work(tmp_path):
    (tmp_path / "a.ckpt").write_text("no archive")
    (tmp_path / "a.safetensors").write_text("mine")
    with pytest.raises(ConversionError, match="exists already"):
        convert(tmp_path / "a.ckpt", tmp_path / "a.safetensors")


def test_the_checkpoint_is_never_replaced(tmp_path):
    source = tmp_path / "a.safetensors"
    source.write_bytes(made_up())
    ended = command(source, "--force")
    assert ended.returncode == 5
    assert "is the checkpoint itself; name another file with --out" in ended.stderr
    assert source.read_bytes() == made_up()


def test_a_file_that_appears_meanwhile_is_kept(tmp_path, monkeypatch):
    source, out = tmp_path / "a.ckpt", tmp_path / "a.safetensors"
    source.write_bytes(made_up())
    monkeypatch.setattr(os, "fsync", lambda _: out.write_text("theirs"))
    with pytest.raises(ConversionError, match="exists already"):
        convert(source, out)
    assert out.read_text() == "theirs"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ckpt", "a.safetensors"]


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    assert refusal(made_up(), tmp_path) == "cannot be written: No space left on device"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["missing.ckpt"], 6, "oscbo: missing.ckpt: cannot be read: No such file or directory"),
        (["."], 6, "oscbo: .: is not a regular file"),
        (["a.ckpt", "--out", "no/such/folder"], 6, "oscbo: no/such/folder: cannot be written: No such file"),
        (["text.ckpt"], 3, "oscbo: text.ckpt: is not an archive that torch.save has written"),
        ([], 2, "FILE.ckpt"),
    ],
)
def test_failures_have_their_exit_status(arguments, status, message, tmp_path):
    (tmp_path / "a.ckpt").write_bytes(made_up())
    (tmp_path / "text.ckpt").write_text("version https://git-lfs.github.com/spec/v1")
    ended = command(*arguments, cwd=tmp_path)
    assert ended.returncode == status
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


# --- pickles that do more --------------------------------------------------------------------------


class Call:
    """Pickled, it is a call."""

    def __init__(self, function, *arguments):
        self.value = function, arguments

    def __reduce__(self):
        return self.value


def test_a_pickle_that_calls_a_function_is_refused_and_not_run(tmp_path):
    (tmp_path / "folder").mkdir()
    evil = {"config": CONFIG, "state_dict": Call(os.system, f"touch {tmp_path}/evil")}
    text, _ = pickled(evil)
    message = refusal(archive(text), tmp_path / "folder")
    assert message == (
        "data.pkl names posix.system; only collections.OrderedDict, torch._utils._rebuild_tensor_v2, "
        "torch.FloatStorage are accepted. Nothing was called"
    )
    assert not (tmp_path / "evil").exists()
    pickle.loads(text)  # the pickle does what it says
    assert (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Call(eval, "1"), "__builtin__.eval"),
        (np.zeros(2), "numpy."),
        (Path("a"), "pathlib.PosixPath"),
        ({1, 2}, "__builtin__.set"),
        (b"bytes", "_codecs.encode"),
    ],
)
def test_other_classes_are_refused_by_name(value, name, tmp_path):
    text, _ = pickled({"config": CONFIG, "state_dict": value})
    assert f"data.pkl names {name}" in refusal(archive(text), tmp_path)


@pytest.mark.parametrize("name", ["torch.nn.Module", "torch._utils._rebuild_parameter", "a\x1bb.c"])
def test_other_names_are_refused(name, tmp_path):
    module, _, member = name.rpartition(".")
    message = refusal(archive(b"\x80\x02c" + f"{module}\n{member}\n".encode() + b")R."), tmp_path)
    assert message.startswith("data.pkl names " + name.replace("\x1b", "\\x1b"))


def test_storages_of_other_numbers_are_refused(tmp_path):
    text, storages = pickled({"config": CONFIG, "state_dict": {"a": tensor([1.0], 1)}}, kind="DoubleStorage")
    assert "data.pkl names torch.DoubleStorage" in refusal(archive(text, storages), tmp_path)


ORDERED = b"ccollections\nOrderedDict\n"
REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"
STORAGE = b"ctorch\nFloatStorage\n"
ONE = b"(X\x07\x00\x00\x00storage" + STORAGE + b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQ"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"(ios\nsystem\n.", "has the opcode INST"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "has the opcode SHORT_BINUNICODE"),
        (b"X\x02\x00\x00\x00osX\x06\x00\x00\x00system\x93.", "has the opcode STACK_GLOBAL"),
        (ORDERED + b")\x81.", "has the opcode NEWOBJ"),
        (b"(" + ORDERED + b"o.", "has the opcode OBJ"),
        (b"\x82\x01.", "has the opcode EXT1"),
        (b"P0\n.", "has the opcode PERSID"),
        (b"\x96\xff\xff\xff\xff\xff\xff\xff\x00.", "is damaged: expected"),
        (b"X\xff\xff\xff\x7f.", "is damaged: expected"),
        (b"Nr\xff\xff\xff\x7f0.", "has the opcode POP"),
        (b"h\x07.", "is damaged: 7"),
        (b")\x87.", "is damaged: values are missing"),
        (b"t.", "is damaged: pop from empty list"),
        (b"N", "is damaged: pickle exhausted"),
        (b"NN.", "is damaged: too many values"),
        (b".", "is damaged: not enough values"),
        (b"N]a.", "only lists can be appended to"),
        (b"NN]s.", "is damaged"),
        (b"}K\x01Ns.", "keys must be texts"),
        (b"}(Nu.", "only dictionaries have items"),
        (b"}}b.", "sets attributes of something that is not an OrderedDict"),
        (REBUILD + b"}X\x08\x00\x00\x00__code__Nsb.", "sets attributes of something that is not an OrderedDict"),
        (ORDERED + b"(]K\x01atR.", "calls collections.OrderedDict with arguments that torch.save does not write"),
        (REBUILD + b")R.", "calls torch._utils._rebuild_tensor_v2 with arguments"),
        (STORAGE + b")R.", "calls torch.FloatStorage with arguments"),
        (b"X\x01\x00\x00\x00a)R.", "calls something that is not a function"),
        (b"K\x01Q.", "refers to something that is not a storage"),
        (ONE.replace(b"storage", b"STORAGE") + b".", "refers to something that is not a storage"),
        (ONE.replace(STORAGE, ORDERED) + b".", "refers to something that is not a storage"),
        (ONE.replace(b"\x01\x00\x00\x000", b"\x04\x00\x00\x00../0") + b".", "refers to something that is not a"),
        (ONE.replace(b"K\x01t", b"J\xff\xff\xff\xfft") + b".", "the size of a storage must consist of integers from 0"),
        (ONE.replace(b"K\x01t", b"\x88t") + b".", "the size of a storage must consist of integers from 0"),
        (b"(" * 10 + b"N" + b"t" * 10 + b".", "does not hold a dictionary"),
        (b"}.", "has no dictionary 'config'; it has: nothing"),
    ],
)
def test_pickles_that_torch_does_not_write_are_refused(text, message, tmp_path):
    assert message in refusal(archive(text), tmp_path)


def test_a_deep_pickle_is_refused(tmp_path):
    text = b"})" + b"\x85" * 150_000 + b"Ns."
    assert "keys must be texts" in refusal(archive(text), tmp_path)


def test_attributes_of_a_dictionary_are_dropped(tmp_path):
    state = OrderedDict(a=tensor([1.0], 1))
    state.clear = state._metadata = 7
    text, storages = pickled({"config": CONFIG, "state_dict": state})
    assert b"clear" in text
    assert list(read_safetensors(convert_bytes(archive(text, storages), tmp_path))[2]) == ["a"]


# --- tensors that do not fit -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Tensor(Storage([1.0, 2.0]), (3,)), "ends after 3 numbers; its storage 0 has 2"),
        (Tensor(Storage([1.0, 2.0]), (2,), offset=1), "ends after 3 numbers; its storage 0 has 2"),
        (Tensor(Storage([1.0, 2.0]), (1,), offset=-1), "the offset of a tensor must consist of integers from 0"),
        (Tensor(Storage([1.0, 2.0]), (-1,)), "the shape of a tensor must consist of integers from 0"),
        (Tensor(Storage([1.0, 2.0]), (True,)), "the shape of a tensor must consist of integers from 0"),
        (Tensor(Storage([1.0, 2.0]), [2]), "the shape of a tensor must be a tuple"),
        (Tensor(Storage([1.0, 2.0]), (1,) * 9), "the shape of a tensor must be a tuple of at most 8"),
        (Tensor(Storage([1.0, 2.0]), (2**20, 2**20)), "ends after 1099511627776 numbers; its storage 0"),
        (Tensor(Storage([1.0, 2.0]), (2**41,)), "integers from 0 to 2^40"),
        (Tensor(Storage(range(6)), (2, 3), strides=(1, 2)), "shape (2, 3) is not contiguous"),
        (Tensor(Storage([1.0]), (2,), strides=(0,)), "shape (2,) is not contiguous"),
        (Tensor(Storage([1.0]), (1,), strides=()), "is damaged"),
        (Tensor(Storage([1.0]), (1,), more=({},)), "calls torch._utils._rebuild_tensor_v2 with arguments"),
        (Tensor(Storage([1.0, 2.0], numel=3), (3,)), "entry data/0 has 8 bytes instead of 12"),
        (Tensor(Storage([1.0, 2.0], numel=1), (1,)), "entry data/0 has 8 bytes; at most 4 are accepted"),
        (Tensor(Storage([1.0], numel=2**40), (2**40,)), "declares tensors of 4398046511104 bytes"),
        (Tensor(Storage([1.0], numel=2**20), (2**20,)), "declares tensors of 4194304 bytes, which do not fit the size"),
        (3.0, "state_dict: 'a' is not a tensor"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(wrong, message, tmp_path):
    assert message in refusal(checkpoint(CONFIG, {"a": wrong}), tmp_path)


def test_many_large_views_of_one_storage_are_refused(tmp_path):
    storage = Storage([0.0] * 10**6)
    tensors = {f"a{i}": Tensor(storage, (10**6,)) for i in range(300)}
    assert "declares tensors of 1200000000 bytes" in refusal(checkpoint(CONFIG, tensors), tmp_path)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"state_dict": {}}, "has no dictionary 'config'; it has: state_dict"),
        ({"config": 3, "state_dict": {}}, "has no dictionary 'config'"),
        ({"config": CONFIG, "x\n": 3}, "has no dictionary 'state_dict'; it has: config, x\\n"),
        ({"config": CONFIG, "state_dict": {}}, "has 0 tensors; 1 to 4096 are accepted"),
        ({"config": {"a": [1]}, "state_dict": {}}, "config: 'a' is neither a number nor a text nor true nor false"),
        ([1], "does not hold a dictionary"),
    ],
)
def test_other_dictionaries_are_refused(value, message, tmp_path):
    assert message in refusal(archive(pickled(value)[0]), tmp_path)


def test_a_tensor_must_not_have_the_name_of_the_configuration(tmp_path):
    assert "'__metadata__' is not a tensor" in refusal(checkpoint(CONFIG, {"__metadata__": tensor([1.0], 1)}), tmp_path)


# --- archives --------------------------------------------------------------------------------------


def test_compressed_entries_are_refused(tmp_path):
    content = checkpoint(CONFIG, {"a": tensor([0.0] * 1000, 1000)}, compression=zipfile.ZIP_DEFLATED)
    assert "is compressed; torch.save does not compress" in refusal(content, tmp_path)


def test_big_endian_files_are_refused(tmp_path):
    content = checkpoint(CONFIG, {"a": tensor([1.0], 1)}, byteorder=b"big")
    assert refusal(content, tmp_path) == "has the byte order b'big'; only little-endian files are accepted"


def test_a_missing_storage_is_refused(tmp_path):
    text, _ = pickled({"config": CONFIG, "state_dict": {"a": tensor([1.0], 1)}})
    content = archive(text + b" " * 100)
    assert refusal(content, tmp_path) == "has no entry data/0"


def test_an_archive_of_other_files_is_refused(tmp_path):
    for name in ("../model", "model/../x", ""):
        assert "has 0 entries NAME/data.pkl" in refusal(archive(b"N.", name=name + "/deep"), tmp_path)
    content = made_up()
    path = tmp_path / "model.ckpt"
    path.write_bytes(content)
    with zipfile.ZipFile(path, "a") as entries:
        entries.writestr("second/data.pkl", b"N.")
    assert "has 2 entries NAME/data.pkl" in refusal(path.read_bytes(), tmp_path)


def test_a_huge_pickle_is_refused(tmp_path):
    assert "entry data.pkl has 1048577 bytes; at most 1048576" in refusal(archive(b"N" * (2**20 + 1)), tmp_path)


def test_changed_numbers_are_noticed(tmp_path):
    content = checkpoint(CONFIG, {"a": tensor([123.25], 1)})
    changed = content.replace(struct.pack("<f", 123.25), struct.pack("<f", 123.5))
    assert changed != content
    assert "entry data/0 is damaged: Bad CRC-32" in refusal(changed, tmp_path)


def with_directory(content, name, **fields):
    """Returns an archive whose directory says something else about an entry."""
    at = content.index(name, content.index(b"PK\x01\x02")) - 46
    header = list(struct.unpack_from("<4s6H3L5H2L", content, at))
    names = {"packed": 8, "size": 9, "extra_length": 11, "offset": 16}
    extra = fields.pop("extra", b"")
    for field, value in fields.items():
        header[names[field]] = value
    end = at + 46 + len(name)
    changed = content[:at] + struct.pack("<4s6H3L5H2L", *header) + name + extra + content[end:]
    # The end of the archive has the length of the directory.
    length = len(content) - 22 - content.index(b"PK\x01\x02") + len(extra)
    return changed[:-10] + struct.pack("<L", length) + changed[-6:]


def test_entries_that_end_after_the_file_are_refused(tmp_path):
    content = with_directory(made_up(), b"model/data.pkl", packed=10**6, size=10**6)
    assert "entry data.pkl is damaged" in refusal(content, tmp_path)


def test_entries_that_begin_after_2_to_the_63_are_refused(tmp_path):
    extra = struct.pack("<HHQ", 1, 8, 2**64 - 1)
    content = with_directory(made_up(), b"model/data.pkl", offset=2**32 - 1, extra=extra, extra_length=len(extra))
    assert "entry data.pkl is damaged" in refusal(content, tmp_path)


def test_large_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tabicl_convert, "_MOST_BYTES", 100)
    assert "has more than 100 bytes" in refusal(made_up(), tmp_path)


def test_a_download_that_was_cut_off_is_refused(tmp_path):
    content = made_up()
    for length in range(0, len(content), 37):
        assert refusal(content[:length], tmp_path)


# --- any bytes -------------------------------------------------------------------------------------


def mutated(content, source):
    """Returns a file with a few bytes changed, removed, repeated or inserted."""
    content = bytearray(content)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(content))
        length = source.randint(1, 8)
        match source.randrange(5):
            case 0:
                content[at] ^= 1 << source.randrange(8)
            case 1:
                content[at : at + length] = source.choice((b"\x00", b"\xff", b"\x7f")) * length
            case 2:
                del content[at : at + length]
            case 3:
                content[at:at] = content[at : at + 4 * length]
            case 4:
                content[at:at] = source.randbytes(length)
        content = content or bytearray(1)
    return bytes(content)


@pytest.mark.parametrize("part", ["archive", "pickle"])
def test_any_bytes_give_a_file_or_a_refusal(part, tmp_path):
    source = random.Random(7)
    state = OrderedDict(a=tensor([1.0, 2.0], 2), b=tensor([3.0], 1, 1))
    state._metadata = OrderedDict({"": {"version": 1}})
    text, storages = pickled({"config": CONFIG, "state_dict": state})
    whole = archive(text, storages)
    converted = refused = 0
    for _ in range(4000):
        content = mutated(whole, source) if part == "archive" else archive(mutated(text, source), storages)
        try:
            header, data, tensors = safetensors_of(content)
        except ConversionError:
            refused += 1
            if refused % 100 == 0:
                refusal(content, tmp_path)
            continue
        assert len(read_safetensors(header + data)[2]) == tensors
        converted += 1
    assert converted > 0
    assert refused > 1000
