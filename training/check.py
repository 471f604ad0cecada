"""Checks the model against reference numbers of the public module, in double precision.

    python3 training/check.py FOLDER

FOLDER holds tiny.safetensors, tiny_cases.safetensors, small.safetensors and small_cases.safetensors.
"""

import sys

import torch

import weights
from model import Config, Regressor

FIELDS = ("column", "row", "icl", "quantiles")


def check(folder, name, kind):
    tensors, texts = weights.read(f"{folder}/{name}.safetensors")
    cases, _ = weights.read(f"{folder}/{name}_cases.safetensors")
    config = Config.from_texts(texts)
    assert config.texts() == texts, "the configuration does not survive a round trip"
    model = Regressor(config, kind)
    model.load_state_dict(tensors)
    model.double()
    worst = dict.fromkeys(FIELDS, 0.0)
    labels = sorted({key.split(".")[0] for key in cases})
    for label in labels:
        inputs = [cases[f"{label}.{key}"].double()[None] for key in ("X_context", "y_context", "X_query")]
        with torch.no_grad():
            results = model.stages(*inputs)
        for field, result in zip(FIELDS, results):
            difference = (result[0] - cases[f"{label}.{field}"]).abs().max().item()
            worst[field] = max(worst[field], difference)
    print(name, kind, len(labels), "cases", {field: f"{value:.1e}" for field, value in worst.items()}, flush=True)
    return max(worst.values())


def main():
    torch.set_num_threads(1)
    pairs = [(name, kind) for name in ("tiny", "small") for kind in ("plain", "fused", "summed")]
    worst = max(check(sys.argv[1], name, kind) for name, kind in pairs)
    sys.exit(0 if worst < 1e-10 else f"worst difference {worst:.1e}")


if __name__ == "__main__":
    main()
