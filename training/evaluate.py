"""Compares a trained model with the exact posterior of Gaussian processes whose hyperparameters are known.

    python3 training/evaluate.py DIR/model.safetensors --out DIR

Fresh samples: 5..128 context points, 2..12 features, uniform and clustered designs, with and without noise. The model
does not know the hyperparameters; the exact posterior does. Writes DIR/evaluation.csv and prints tables:

nll, crps     of the noise-free function, above the exact posterior (medians in nll_median); crps in prior deviations
rmse_ratio    root mean square error, as a multiple of that of the exact posterior mean
cover50..95   how often the central intervals of the quantiles hold the function
gauss90       the same for mean +- 1.645 sd
"""

import argparse
import csv
import math
import os
import time

import torch

import prior
import weights
from model import Config, Regressor, full_precision, moments

CONTEXTS = (5, 10, 20, 40, 80, 128)
FEATURES = (2, 3, 5, 6, 7, 12)
COVERAGES = (50, 80, 90, 95)
RESULTS = ("nll", "nll_median", "crps", "rmse_ratio", "rmse", "rmse_exact", *(f"cover{c}" for c in COVERAGES), "gauss90")
KEYS = ("design", "noise", "features", "context")


def load(path, device):
    tensors, texts = weights.read(path)
    model = Regressor(Config.from_texts(texts))
    model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    return model.to(device).eval()


# Datasets and the exact posterior.


def draw_noise(source, count, kind):
    """quiet: next to none; noisy: log-uniform between 0.01 and 0.3 prior deviations."""
    if kind == "quiet":
        return torch.full((count, 1), 1e-3, device=source.device)
    return source.log_uniform(0.01, 0.3, count, 1)


def draw_points(source, sample, count, n, m, features, clustered):
    """Uniform points, or the trace of a search: clouds around the best of some points."""
    if not clustered:
        return source.uniform(count, n, features), source.uniform(count, m, features)
    pool = source.uniform(count, prior.EXACT_POOL, features)
    centres, used = prior.best_centres(source, pool, sample(pool))
    smallest = source.log_uniform(0.01, 0.2, count, 1, 1)
    near = source.chance(0.6, count, n + m).unsqueeze(-1)
    x = torch.where(near, prior.cloud(source, centres, used, n + m, smallest), source.uniform(count, n + m, features))
    return x.clamp(0, 1).split((n, m), 1)


def exact_posterior(kernels, x, y, noise, queries):
    """Mean and standard deviation of the noise-free function, in double precision."""
    x, y, queries = x.double(), y.double(), queries.double()
    eye = torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
    K = kernels.matrix(x, x) + (noise.double().square().unsqueeze(-1) + prior.JITTER) * eye
    L = torch.linalg.cholesky_ex(K)[0]
    cross = torch.linalg.solve_triangular(L, kernels.matrix(x, queries), upper=False)
    scaled = torch.linalg.solve_triangular(L, y.unsqueeze(-1), upper=False)
    mean = (cross.transpose(1, 2) @ scaled).squeeze(-1)
    variance = 1 + prior.JITTER - cross.square().sum(1)
    return mean, variance.clamp(min=prior.JITTER).sqrt()


# Measures.


def gaussian_nll(f, mean, deviation):
    return 0.5 * ((f - mean) / deviation).square() + deviation.log() + 0.5 * math.log(2 * math.pi)


def gaussian_crps(f, mean, deviation):
    z = (f - mean) / deviation
    density = torch.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    return deviation * (z * torch.erf(z / math.sqrt(2)) + 2 * density - 1 / math.sqrt(math.pi))


def quantile_crps(f, quantiles):
    count = quantiles.shape[-1]
    levels = torch.arange(1, count + 1, dtype=f.dtype, device=f.device) / (count + 1)
    error = f.unsqueeze(-1) - quantiles
    return 2 * torch.maximum(levels * error, (levels - 1) * error).mean(-1)


def coverage(f, quantiles, percent):
    count = quantiles.shape[-1]
    tail = max(1, round((1 - percent / 100) / 2 * (count + 1)))
    inside = (f >= quantiles[..., tail - 1]) & (f <= quantiles[..., count - tail])
    return inside.double().mean()


def measure(f, quantiles, exact_mean, exact_deviation):
    """All measures of a cell as one tensor. Everything in prior deviations."""
    mean, deviation = moments(quantiles)
    deviation = deviation.clamp(min=1e-6)
    above = gaussian_nll(f, mean, deviation) - gaussian_nll(f, exact_mean, exact_deviation)
    crps = quantile_crps(f, quantiles) - gaussian_crps(f, exact_mean, exact_deviation)
    rmse = (f - mean).square().mean().sqrt()
    rmse_exact = (f - exact_mean).square().mean().sqrt()
    gauss = ((f - mean).abs() <= 1.6449 * deviation).double().mean()
    covers = [coverage(f, quantiles, percent) for percent in COVERAGES]
    return torch.stack([above.mean(), above.median(), crps.mean(), rmse / rmse_exact, rmse, rmse_exact, *covers, gauss])


def predict(model, batch, y_mean, y_scale, autocast):
    with torch.autocast(batch.x_context.device.type, dtype=torch.bfloat16, enabled=autocast):
        quantiles = model(batch.x_context, batch.y_context, batch.x_query)
    return y_mean + y_scale * quantiles.double().sort(-1).values


def evaluate_cell(model, source, cell, options):
    design, noise_kind, features, n = cell
    count, m = options.datasets, options.queries
    kernels = prior.draw_kernels(source, count, features)
    sample = prior.ExactSample(source, kernels)
    x, queries = draw_points(source, sample, count, n, m, features, design == "clustered")
    values = sample(torch.cat((x, queries), 1))
    noise = draw_noise(source, count, noise_kind)
    y, f = values[:, :n] + noise * source.normal(count, n), values[:, n:]
    batch = prior.standardise(x, y, queries, f)
    y_mean = y.double().mean(1).view(-1, 1, 1)
    y_scale = y.double().std(1, unbiased=False).view(-1, 1, 1)
    quantiles = predict(model, batch, y_mean, y_scale, options.bf16)
    exact = exact_posterior(kernels, x, y, noise, queries)
    return measure(f.double(), quantiles, *exact)


# Tables.


def average(rows):
    return [sum(row[name] for row in rows) / len(rows) for name in RESULTS]


def width(name):
    return max(7, len(name) + 1)


def print_table(rows, keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    print("".join(f"{name:>10}" for name in keys) + "".join(f"{name:>{width(name)}}" for name in RESULTS))
    for group, members in groups.items():
        numbers = "".join(f"{value:{width(name)}.3f}" for name, value in zip(RESULTS, average(members)))
        print("".join(f"{value:>10}" for value in group) + numbers)
    print(flush=True)


def write_table(rows, path):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*KEYS, *RESULTS))
        for row in rows:
            writer.writerow([row[key] for key in KEYS] + [f"{row[name]:.5f}" for name in RESULTS])


def evaluate(model, device, options):
    """One row per cell. A cell is skipped when the time is over."""
    source, results, end = prior.Draw(device), [], time.monotonic() + options.seconds
    cells = [(design, noise, d, n) for n in CONTEXTS for d in FEATURES for design in ("uniform", "clustered") for noise in ("noisy", "quiet")]
    for index, cell in enumerate(cells):
        if time.monotonic() > end:
            print(f"out of time: {len(cells) - index} cells are missing", flush=True)
            break
        prior.seed_everything(options.seed, index)
        with torch.no_grad(), full_precision():
            results.append((cell, evaluate_cell(model, source, cell, options)))
        if index % 20 == 0 and device.type == "cuda":
            torch.cuda.synchronize()
    return [dict(zip((*KEYS, *RESULTS), (*cell, *values.tolist()))) for cell, values in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights")
    parser.add_argument("--out", default=".")
    parser.add_argument("--seed", type=int, default=20_000)
    parser.add_argument("--datasets", type=int, default=128, help="per cell")
    parser.add_argument("--queries", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--bf16", action="store_true", help="compute as in training, to see what the rounding costs")
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    begin = time.monotonic()
    rows = evaluate(load(options.weights, device), device, options)
    write_table(rows, os.path.join(options.out, "evaluation.csv"))
    for keys in (("features", "context"), ("design", "noise", "context"), ("design", "noise"), ()):
        print_table(rows, keys)
    print(f"{len(rows)} cells in {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
