"""Trains the in-context regressor on functions drawn from the prior.

    python3 training/train.py --out DIR --seconds 500
    python3 training/train.py --out DIR --seconds 500 --resume FOLDER      continues from the state in FOLDER
    python3 training/train.py --out DIR --seconds 500 --start FILE         starts from weights, without a state
    python3 training/train.py --throughput 256,512,1024 --seconds 20       datasets per second, 20 s each; no training

Writes into DIR: model.safetensors (averaged weights, half precision), state_weights.pt, state_average.pt and
state_momentum.pt (the state to continue from) and training.csv (one row per report). All files are rewritten every
minute. Steps are numbered from the state onwards, and the draws of a step depend on the seed and the step only.
"""

import argparse
import copy
import csv
import math
import os
import time

import torch

import prior
import weights
from model import Config, Regressor, moments
from optimizer import FlatParameters, Optimizer

COLUMNS = ("step", "seconds", "datasets", "loss", "weighted", "gradient", "lr", "valid_pinball", "valid_nll", "valid_rmse")
STATE_FILES = ("state_weights.pt", "state_average.pt", "state_momentum.pt")
VALIDATION_SHAPES = [(5, 2), (10, 3), (10, 6), (20, 2), (20, 6), (40, 3), (40, 6), (40, 12), (80, 2), (80, 6), (128, 6), (128, 12)]
RATE_FLOOR = 0.02  # of the decay, as a share of the full rate


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    parser.add_argument("--seconds", type=float, default=60, help="of wall clock from the start of the program")
    parser.add_argument("--resume", metavar="FOLDER")
    parser.add_argument("--start", metavar="FILE", help="weights to start from; those of the folder of --resume go first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=512, help="datasets per step")
    parser.add_argument("--queries", type=int, default=64)
    parser.add_argument("--shapes", type=int, default=1, help="different shapes per step, each with a part of the batch")
    parser.add_argument("--cells", type=float, default=4.5e6, help="rows times tokens at once; larger batches are split")
    parser.add_argument("--muon", type=float, default=2e-3, help="learning rate of the matrices")
    parser.add_argument("--adam", type=float, default=6e-4, help="learning rate of the rest")
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--warmup", type=int, default=500, help="steps; 100 after a resume")
    parser.add_argument("--decay", type=float, default=0.2, help="last share of the time in which the rates fall to 0")
    parser.add_argument("--average", type=float, default=0.999)
    parser.add_argument("--sharpness", type=float, default=0.5, help="weight a query by (predicted sd + floor)^-sharpness")
    parser.add_argument("--floor", type=float, default=0.02, help="of the predicted sd in these weights")
    parser.add_argument("--exact", type=float, default=0.1, help="share of steps with exact samples")
    parser.add_argument("--precision", choices=("bf16", "tf32", "fp32"), default="bf16")
    parser.add_argument("--precise", type=float, default=0.0, help="last share of the time in which bf16 becomes tf32")
    parser.add_argument("--row-attention", choices=("plain", "fused", "summed"), default="fused")
    parser.add_argument("--compile", action="store_true", help="compile the blocks; falls back where that fails")
    parser.add_argument("--tiny", action="store_true", help="a model for tests of this program")
    parser.add_argument("--throughput", metavar="BATCHES", help="measure batches of these sizes instead of training")
    parser.add_argument("--profile", action="store_true", help="print the slowest kernels after a measurement")
    return parser.parse_args()


def say(*words):
    print(*words, flush=True)


def synchronise(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


# The loss.


def pinball(quantiles, target, levels):
    """(B, m, K), (B, m) -> (B, m): the mean over the levels, half the CRPS."""
    error = target.unsqueeze(-1) - quantiles
    return torch.maximum(levels * error, (levels - 1) * error).mean(-1)


class Problem:
    """The model with its loss."""

    def __init__(self, options, device, model):
        self.options, self.device, self.model = options, device, model
        self.levels = model.levels(device=device)
        self.in_bf16 = options.precision == "bf16" and device.type == "cuda"

    def predict(self, model, batch):
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.in_bf16):
            return model(batch.x_context, batch.y_context, batch.x_query)

    def losses(self, batch):
        """The mean pinball loss and its weighted form, which trains better where little uncertainty remains.

        The weight depends on the prediction but not on the target, so the best prediction stays the same.
        """
        quantiles = self.predict(self.model, batch)
        each = pinball(quantiles, batch.target, self.levels) * batch.weight.unsqueeze(1)
        spread = quantiles.detach().std(-1)
        return each.mean(), (each * (spread + self.options.floor) ** -self.options.sharpness).mean()

    @torch.no_grad()
    def validate(self, model, batches):
        """Mean pinball loss, negative log likelihood and RMSE over fixed batches."""
        total = torch.zeros(3, device=self.device)
        for batch in batches:
            quantiles = self.predict(model, batch)
            mean, deviation = moments(quantiles)
            deviation = deviation.clamp(min=1e-4)
            error = batch.target - mean
            nll = 0.5 * (error / deviation).square().clamp(max=100) + deviation.log() + 0.5 * math.log(2 * math.pi)
            loss = pinball(quantiles, batch.target, self.levels)
            total += torch.stack((loss.mean(), nll.mean(), error.square().mean().sqrt()))
        return [value / len(batches) for value in total.tolist()]


def validation_batches(device, count=64):
    prior.seed_everything(987_654_321, 0)
    return [prior.draw(prior.Shape(count, n, 64, d), device) for n, d in VALIDATION_SHAPES]


# The state.


def save_weights(path, model, average, texts):
    """The averaged weights in half precision, with the configuration. The frequencies of RoPE keep theirs."""
    tensors = {name: tensor.detach() for name, tensor in model.state_dict().items()}
    averaged = dict(zip([name for name, _ in model.named_parameters()], average))
    tensors = {n: averaged[n].half() if n in averaged else t for n, t in tensors.items()}
    weights.write(path, tensors, {**model.config.texts(), **texts})


def write_atomically(path, write):
    write(path + ".part")
    os.replace(path + ".part", path)


class Trainer:
    def __init__(self, options, device):
        torch.manual_seed(options.seed)
        self.options, self.device = options, device
        config = Config(32, 1, 2, 4, 2, 2, 2, icl_num_blocks=2, icl_nhead=2, num_quantiles=19) if options.tiny else Config()
        self.model = Regressor(config, options.row_attention).to(device)
        self.flat = FlatParameters(self.model)
        self.optimizer = Optimizer(self.model)
        self.average = self.flat.values.clone()
        self.averaged_model = copy.deepcopy(self.model)  # stays uncompiled
        self.problem = Problem(options, device, self.model)
        self.step, self.datasets, self.seconds, self.first_step = 0, 0, 0.0, 0
        self.rate = 0.0

    # Files.

    def save(self):
        folder, part = self.options.out, dict(step=self.step, datasets=self.datasets, seconds=self.seconds)
        names = [name for name, _ in self.model.named_parameters()]
        first = dict(part, config=self.model.config.texts(), weights=dict(zip(names, self.copies(self.flat.values))))
        second = dict(part, average=dict(zip(names, self.copies(self.average))), adam=self.optimizer.adam.state_dict())
        third = dict(part, momentum={str(s): m for s, m in self.optimizer.muon.momentum.items()})
        for name, content in zip(STATE_FILES, (first, second, third)):
            write_atomically(os.path.join(folder, name), lambda path: torch.save(content, path))
        texts = {"training_steps": self.step, "training_datasets": self.datasets, "training_seconds": round(self.seconds)}
        texts = {name: str(value) for name, value in dict(texts, training_seed=self.options.seed).items()}
        write = lambda path: save_weights(path, self.model, self.flat.split(self.average), texts)
        write_atomically(os.path.join(folder, "model.safetensors"), write)

    def copies(self, flat):
        return [part.clone() for part in self.flat.split(flat)]

    def load(self, folder):
        parts = [torch.load(os.path.join(folder, name), map_location=self.device) for name in STATE_FILES]
        if len({part["step"] for part in parts}) != 1:
            raise SystemExit(f"the files of the state in {folder} belong to different steps")
        self.require_config(parts[0]["config"], folder)
        self.fill(self.flat.values, parts[0]["weights"])
        self.fill(self.average, parts[1]["average"])
        momentum = {shape: parts[2]["momentum"][str(shape)] for shape in self.optimizer.muon.momentum}
        self.optimizer.load(momentum, parts[1]["adam"])
        self.continue_from(*(parts[0][name] for name in ("step", "datasets", "seconds")))

    def start(self, path):
        """Starts from weights. The optimizer has no momentum then."""
        tensors, texts = weights.read(path)
        self.require_config({name: texts[name] for name in self.model.config.texts()}, path)
        for flat in (self.flat.values, self.average):
            self.fill(flat, tensors)
        counts = [float(texts.get(f"training_{name}", 0)) for name in ("steps", "datasets", "seconds")]
        self.continue_from(int(counts[0]), int(counts[1]), counts[2])

    def require_config(self, texts, source):
        if texts != self.model.config.texts():
            raise SystemExit(f"{source} belongs to another configuration")

    def fill(self, flat, values):
        for (name, _), part in zip(self.model.named_parameters(), self.flat.split(flat)):
            part.copy_(values[name])

    def continue_from(self, step, datasets, seconds):
        self.step = self.first_step = step
        self.datasets, self.seconds = datasets, seconds
        say(f"continues at step {step}, after {datasets} datasets and {seconds:.0f} s")

    # Training.

    def schedule(self, progress):
        """The share of the full learning rate at a share `progress` of the allotted time."""
        warmup = self.options.warmup if self.first_step == 0 else 100
        rise = min(1.0, (self.step - self.first_step + 1) / warmup)
        fall = (1 - progress) / self.options.decay if self.options.decay > 0 else 1.0
        return rise * min(1.0, max(fall, RATE_FLOOR))

    def batches(self):
        """The batches of this step, each small enough for the memory."""
        options = self.options
        generator = prior.seed_everything(options.seed, self.step)
        for _ in range(options.shapes):
            shape = prior.draw_shape(generator, options.batch // options.shapes, options.queries)
            batch = prior.draw(shape, self.device, generator.random() < options.exact)
            cells = (shape.context + shape.queries) * (shape.features + self.model.config.row_num_cls)
            yield from batch.pieces(max(1, int(options.cells / cells)))

    def train_step(self, progress):
        """One step of the optimizer. Returns the loss, its weighted form and the norm of the gradient."""
        options, losses = self.options, torch.zeros(2, device=self.device)
        for batch in self.batches():
            share = len(batch.target) / options.batch
            loss, weighted = self.problem.losses(batch)
            (weighted * share).backward()
            losses += torch.stack((loss.detach(), weighted.detach())) * share
        norm = self.flat.clip_gradients(options.clip)
        self.rate = self.schedule(progress)
        self.optimizer.step(options.muon * self.rate, options.adam * self.rate)
        self.flat.zero_gradients()
        self.average.lerp_(self.flat.values, 1 - min(options.average, (1 + self.step) / (10 + self.step)))
        self.step += 1
        self.datasets += options.batch
        return torch.cat((losses, norm.unsqueeze(0)))

    def validate(self, batches):
        with torch.no_grad():
            for p, value in zip(self.averaged_model.parameters(), self.flat.split(self.average)):
                p.copy_(value)
        return self.problem.validate(self.averaged_model, batches)

    def largest_step(self):
        """A forward and backward pass of the largest shape, so that memory is reserved once and errors come early."""
        options, config = self.options, self.model.config
        shape = prior.Shape(options.batch // options.shapes, max(prior.CONTEXT_SIZES), options.queries, prior.MAX_FEATURES)
        cells = (shape.context + shape.queries) * (shape.features + config.row_num_cls)
        prior.seed_everything(options.seed, -1)
        for batch in prior.draw(shape, self.device, True).pieces(max(1, int(options.cells / cells))):
            self.problem.losses(batch)[1].backward()
        self.flat.zero_gradients()


def compile_model(trainer):
    """Compiles the blocks and compares the loss with the uncompiled one. Returns whether the result is sound."""
    begin = time.monotonic()
    prior.seed_everything(3, 0)
    batches = [prior.draw(prior.Shape(29, n, 41, d), trainer.device) for n, d in ((13, 3), (23, 6), (11, 1), (37, 9))]
    plain = [trainer.problem.losses(batch)[1].item() for batch in batches]
    try:
        trainer.model.compile_blocks()
        compiled = []
        for batch in batches:
            loss = trainer.problem.losses(batch)[1]
            loss.backward()
            compiled.append(loss.item())
    except Exception as error:  # whatever the compiler may raise
        say("the compiler failed:", type(error).__name__, str(error)[:500])
        return False
    trainer.flat.zero_gradients()
    worst = max(abs(a - b) for a, b in zip(plain, compiled))
    say(f"compiled in {time.monotonic() - begin:.0f} s; losses {plain} became {compiled}")
    return worst < 0.01


def make_trainer(options, device):
    """A trainer that is compiled if that is wanted and works, with the state it continues from."""
    trainer = Trainer(options, device)
    if options.compile and not compile_model(trainer):
        say("goes on without the compiler")
        trainer = Trainer(options, device)
    if options.resume:
        trainer.load(options.resume)
    elif options.start:
        trainer.start(options.start)
    return trainer


def report(trainer, writer, file, sums, count, begin, validation):
    loss, weighted, norm = (sums / count).tolist()
    seconds = trainer.seconds + time.monotonic() - begin
    row = [trainer.step, f"{seconds:.1f}", trainer.datasets, f"{loss:.6f}", f"{weighted:.6f}", f"{norm:.4f}", f"{trainer.rate:.4f}"]
    row += [f"{value:.5f}" for value in validation] if validation else [""] * 3
    writer.writerow(row)
    file.flush()
    say("  ".join(f"{name} {value}" for name, value in zip(COLUMNS, row) if value != ""))


def switch_precision(trainer):
    """bf16 keeps 8 bits: as noise in the features, its rounding limits how narrow intervals become."""
    trainer.problem.in_bf16 = False
    torch.set_float32_matmul_precision("high")
    say(f"tf32 from step {trainer.step} on")


def copy_rows(folder, out):
    """The reports of earlier calls stay at the head of training.csv."""
    source = os.path.join(folder, "training.csv") if folder else ""
    target = os.path.join(out, "training.csv")
    if os.path.exists(source) and os.path.realpath(source) != os.path.realpath(target):
        with open(source) as old, open(target, "w") as new:
            new.write(old.read())
    return os.path.exists(target) if folder else False


def train(options, device, start):
    trainer = make_trainer(options, device)
    os.makedirs(options.out, exist_ok=True)
    continued = copy_rows(options.resume or os.path.dirname(options.start or ""), options.out)
    file = open(os.path.join(options.out, "training.csv"), "a" if continued else "w", newline="")
    writer = csv.writer(file)
    if not continued:
        writer.writerow(COLUMNS)
    batches = validation_batches(device)
    trainer.largest_step()
    synchronise(device)
    begin = reported = saved = validated = time.monotonic()
    end, sums, count, spent = start + options.seconds, 0, 0, trainer.seconds
    say(f"trains for {end - begin:.0f} s; {sum(p.numel() for p in trainer.model.parameters())} parameters")
    while True:
        now = time.monotonic()
        if now >= end:
            break
        progress = (now - begin) / (end - begin)
        if trainer.problem.in_bf16 and progress > 1 - options.precise:
            switch_precision(trainer)
        sums = sums + trainer.train_step(progress)
        count += 1
        if count % 20 == 0 or device.type == "cpu":
            synchronise(device)  # keeps the clock honest
            now = time.monotonic()
        if now - reported >= 5:
            validation = trainer.validate(batches) if now - validated >= 30 else None
            validated = now if validation else validated
            report(trainer, writer, file, sums, count, begin, validation)
            sums, count, reported = 0, 0, now
            if now - saved >= 60:
                trainer.seconds = spent + now - begin
                trainer.save()
                trainer.seconds, saved = spent, now
    if count:
        report(trainer, writer, file, sums, count, begin, trainer.validate(batches))
    trainer.seconds = spent + time.monotonic() - begin
    trainer.save()
    say(f"done: {trainer.datasets} datasets in all, {trainer.step} steps, {trainer.seconds:.0f} s")


# Measurements.


def measure_parts(trainer, steps=20):
    """Seconds per step of drawing, forward, backward and update, each followed by a synchronisation."""
    parts = dict.fromkeys(("draw", "forward", "backward", "update"), 0.0)
    device = trainer.device

    def timed(name, function):
        synchronise(device)
        begin = time.monotonic()
        result = function()
        synchronise(device)
        parts[name] += (time.monotonic() - begin) / steps
        return result

    for _ in range(steps):
        batches = timed("draw", lambda: list(trainer.batches()))
        for batch in batches:
            loss = timed("forward", lambda: trainer.problem.losses(batch)[1])
            timed("backward", loss.backward)
        timed("update", lambda: (trainer.flat.clip_gradients(1.0), trainer.optimizer.step(1e-4, 1e-4)))
        trainer.flat.zero_gradients()
        trainer.step += 1
    return {name: f"{1000 * value:.1f} ms" for name, value in parts.items()}


def profile(trainer, steps=6):
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as record

    with record(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as result:
        for _ in range(steps):
            trainer.train_step(0.0)
        synchronise(trainer.device)
    for order in ("self_cuda_time_total", "self_device_time_total"):
        try:
            say(result.key_averages().table(sort_by=order, row_limit=30, max_name_column_width=60))
            return
        except (KeyError, AttributeError):
            continue


def throughput(options, device):
    """Prints datasets per second for each batch size, and the sizes with the best."""
    trainer, rates = make_trainer(options, device), {}
    for batch in (int(text) for text in options.throughput.split(",")):
        options.batch = batch
        trainer.step = 0  # the same shapes for all
        trainer.largest_step()
        for _ in range(5):
            trainer.train_step(0.0)
        synchronise(device)
        begin, steps = time.monotonic(), 0
        while time.monotonic() - begin < options.seconds:
            trainer.train_step(0.0)
            steps += 1
            if steps % 10 == 0:
                synchronise(device)
        synchronise(device)
        seconds = time.monotonic() - begin
        rates[batch] = steps * batch / seconds
        memory = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else 0
        say(f"batch {batch}: {rates[batch]:.0f} datasets/s, {1000 * seconds / steps:.1f} ms per step, {memory:.1f} GiB")
        say(f"  parts of a step: {measure_parts(trainer)}")
    if options.profile:
        profile(trainer)
    say("best batch", max(rates, key=rates.get))


def main():
    start = time.monotonic()
    options = parse_arguments()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("highest" if options.precision != "tf32" else "high")
    if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(False)  # it makes a new plan for every shape
    say(f"PyTorch {torch.__version__}, {device}, options {vars(options)}")
    if options.throughput:
        throughput(options, device)
    else:
        train(options, device, start)


if __name__ == "__main__":
    main()
