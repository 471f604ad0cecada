"""The prior: random functions and designs, drawn in batches on the device of the training.

    generator = seed_everything(seed, step)
    batch = draw(Shape(datasets, context, queries, features), device)

A batch holds datasets of one shape. Half of the designs are uniform; the other half look like the trace of an
optimizer that maximises: clouds around the best of some points. Larger is better, everywhere.

Most functions are samples of Gaussian processes, drawn with random Fourier features or exactly; the rest are random
networks and bowls with ripples. Some outputs are warped, and some of the warps make plateaus. Lengthscales refer to
the unit cube.
"""

import dataclasses
import math
import random

import torch

from model import full_precision

FEATURES = 1024  # random Fourier features of a sample
POOL = 256  # uniform points among which a design finds its centres
EXACT_POOL = 64
JITTER = 1e-8  # of exact samples, in double precision
TARGET_LIMIT = 10.0  # standardised targets are clipped here
CONTEXT_SIZES = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 112, 128)  # about log-uniform
MAX_FEATURES = 16

NETWORKS, BOWLS = 0.06, 0.06  # shares of a batch; plateaus are among the output warps
INPUT_WARPS, OUTPUT_WARPS = 0.3, 0.3
ADDITIVE = 0.1  # share with a linear and a periodic part
ISOTROPIC, UNUSED = 0.3, 0.3


@dataclasses.dataclass
class Shape:
    datasets: int
    context: int
    queries: int
    features: int


@dataclasses.dataclass
class Batch:
    """Inputs as the model sees them. The target is the noise-free function, in units of the context."""

    x_context: torch.Tensor
    y_context: torch.Tensor
    x_query: torch.Tensor
    target: torch.Tensor
    weight: torch.Tensor  # per dataset: 0 where the context is constant

    def pieces(self, count):
        """Parts of at most `count` datasets each."""
        fields = [torch.split(getattr(self, field.name), count) for field in dataclasses.fields(self)]
        return [Batch(*parts) for parts in zip(*fields)]


def seed_everything(seed, step):
    """Seeds the draws of a step. Returns the generator of the choices that are made on the CPU."""
    number = (seed * 1_000_003 + step) % 2**62
    torch.manual_seed(number)
    return random.Random(number)


def draw_shape(generator, datasets, queries):
    """Features up to 8 are twice as likely as more."""
    features = generator.choice(list(range(1, 9)) * 2 + list(range(9, MAX_FEATURES + 1)))
    return Shape(datasets, generator.choice(CONTEXT_SIZES), queries, features)


# Random numbers.


class Draw:
    """Random tensors on one device."""

    def __init__(self, device):
        self.device = device

    def uniform(self, *shape, low=0.0, high=1.0):
        return torch.rand(shape, device=self.device) * (high - low) + low

    def normal(self, *shape):
        return torch.randn(shape, device=self.device)

    def log_normal(self, median_log, sigma, *shape):
        return torch.exp(median_log + sigma * self.normal(*shape))

    def log_uniform(self, low, high, *shape):
        return torch.exp(self.uniform(*shape, low=math.log(low), high=math.log(high)))

    def chance(self, probability, *shape):
        return self.uniform(*shape) < probability

    def integer(self, count, *shape):
        return torch.randint(count, shape, device=self.device)

    def gamma(self, concentration, rate, *shape):
        return torch._standard_gamma(torch.full(shape, concentration, device=self.device)) / rate


# Gaussian processes.


@dataclasses.dataclass
class Kernels:
    """One stationary kernel of unit variance per dataset. degrees: 3 and 5 are Matern 3/2 and 5/2, 0 is the RBF."""

    inverse_lengthscales: torch.Tensor  # (B, d)
    degrees: torch.Tensor  # (B)

    def matrix(self, a, b):
        """Covariances (B, N, M) of the points a (B, N, d) and b (B, M, d)."""
        scale = self.inverse_lengthscales.unsqueeze(1).to(a.dtype)
        r = torch.cdist(a * scale, b * scale, compute_mode="donot_use_mm_for_euclid_dist")
        degrees = self.degrees.view(-1, 1, 1)
        z = r * degrees.to(a.dtype).sqrt()
        matern = torch.exp(-z) * torch.where(degrees == 5, 1 + z + z * z / 3, 1 + z)
        return torch.where(degrees == 0, torch.exp(-0.5 * r * r), matern)


def draw_lengthscales(draw, count, features):
    """One of three published priors per dataset; isotropic for some."""
    log_root = 0.5 * math.log(features)
    shape = (count, features)
    choices = (
        draw.log_normal(-0.75 + log_root, 0.75, *shape),
        draw.gamma(1.2107, 1.5212, *shape),
        draw.log_normal(math.sqrt(2) + log_root, math.sqrt(3), *shape),
    )
    which = draw.integer(len(choices), count, 1)
    lengthscales = torch.where(which == 0, choices[0], torch.where(which == 1, choices[1], choices[2]))
    isotropic = draw.chance(ISOTROPIC, count, 1)
    lengthscales = torch.where(isotropic, lengthscales[:, :1], lengthscales)
    return lengthscales.clamp(0.03, 20 * math.sqrt(features)), isotropic


def draw_used(draw, count, features, dense):
    """Which features matter. Half of the datasets that are not `dense` drop some; one feature always remains."""
    sparse = draw.chance(0.5, count, 1) & ~dense
    dropped = draw.chance(UNUSED, count, features) & sparse
    kept = draw.integer(features, count, 1) == torch.arange(features, device=draw.device)
    return ~dropped | kept


def draw_kernels(draw, count, features):
    lengthscales, isotropic = draw_lengthscales(draw, count, features)
    used = draw_used(draw, count, features, isotropic)
    u = draw.uniform(count)
    degrees = torch.where(u < 0.45, 5, torch.where(u < 0.72, 3, 0))
    return Kernels(used / lengthscales, degrees)


class FourierSample:
    """Samples of Gaussian processes that can be evaluated anywhere: (B, N, d) -> (B, N)."""

    def __init__(self, draw, kernels):
        count, features = kernels.inverse_lengthscales.shape
        degrees = kernels.degrees.view(-1, 1, 1)
        squares = draw.normal(count, 5, FEATURES).square()
        chi = torch.where(degrees == 3, squares[:, :3].sum(1, keepdim=True), squares.sum(1, keepdim=True))
        heavy = torch.where(degrees == 0, torch.ones_like(chi), (degrees / chi.clamp(min=1e-6)).sqrt())
        scale = kernels.inverse_lengthscales.unsqueeze(-1)
        self.frequencies = draw.normal(count, features, FEATURES) * scale * heavy
        self.phases = draw.uniform(count, 1, FEATURES, high=2 * math.pi)
        self.weights = draw.normal(count, FEATURES, 1) * math.sqrt(2 / FEATURES)

    def __call__(self, x):
        return torch.bmm(torch.baddbmm(self.phases, x, self.frequencies).cos_(), self.weights).squeeze(-1)


class ExactSample:
    """Exact samples. The second call draws the values at its points given those of the first."""

    def __init__(self, draw, kernels):
        self.draw, self.kernels = draw, kernels
        self.points = self.factor = self.normals = None

    def __call__(self, x):
        x = x.double()
        jitter = JITTER * torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
        covariance = self.kernels.matrix(x, x) + jitter
        mean = 0.0
        if self.points is not None:
            cross = torch.linalg.solve_triangular(self.factor, self.kernels.matrix(self.points, x), upper=False)
            covariance = covariance - cross.transpose(1, 2) @ cross
            mean = cross.transpose(1, 2) @ self.normals
        factor = torch.linalg.cholesky_ex(covariance)[0]
        normals = self.draw.normal(*x.shape[:2], 1).double()
        if self.points is None:
            self.points, self.factor, self.normals = x, factor, normals
        return (mean + factor @ normals).squeeze(-1).to(torch.float32)


# Other functions.


class Network:
    """Random networks of two hidden layers."""

    def __init__(self, draw, count, features, width=32):
        gain = draw.log_uniform(0.5, 4.0, count, 1, 1)
        used = draw_used(draw, count, features, draw.chance(0.0, count, 1)).unsqueeze(-1)
        self.first = draw.normal(count, features, width) * gain * used / math.sqrt(features)
        self.first_bias = draw.normal(count, 1, width) * gain
        self.second = draw.normal(count, width, width) * 1.5 / math.sqrt(width)
        self.second_bias = draw.normal(count, 1, width) * 0.5
        self.last = draw.normal(count, width, 1)
        self.kind = draw.integer(3, count, 1, 1)

    def activate(self, z):
        return torch.where(self.kind == 0, torch.tanh(z), torch.where(self.kind == 1, torch.relu(z), torch.sin(z)))

    def __call__(self, x):
        z = self.activate(torch.baddbmm(self.first_bias, 2 * x - 1, self.first))
        z = self.activate(torch.baddbmm(self.second_bias, z, self.second))
        return torch.bmm(z, self.last).squeeze(-1)


class Bowl:
    """Bowls, ripples, curved valleys and pits, as in common test functions."""

    def __init__(self, draw, count, features):
        self.centre = draw.uniform(count, 1, features)
        self.scale = draw.log_uniform(1.0, 6.0, count, 1, 1)
        even = draw.chance(0.5, count, 1, 1)
        self.weights = torch.where(even, torch.ones_like(self.centre), draw.log_normal(0.0, 1.0, count, 1, features))
        self.waves = draw.log_uniform(0.3, 2.0, count, 1, 1)
        self.decay = draw.log_uniform(0.2, 3.0, count, 1, 1)
        strengths = draw.log_normal(0.0, 1.0, count, 1, 4) * draw.chance(0.5, count, 1, 4)
        self.strengths = strengths + 0.01

    def parts(self, z):
        squares = self.weights * z * z
        bowl = squares.mean(-1)
        ripples = (self.weights * torch.sin(math.pi * self.waves * z).square()).mean(-1)
        following = torch.roll(z, -1, 2)
        valley = (following - z * z).square().mean(-1) * 0.3
        pit = 1 - torch.exp(-self.decay.squeeze(-1) * (bowl + 1e-9).sqrt())
        return torch.stack((bowl, ripples, valley, 2 * pit), -1)

    def __call__(self, x):
        return -(self.parts((x - self.centre) * self.scale) * self.strengths).sum(-1)


class Additive:
    """A linear and a periodic part, for some of the datasets."""

    def __init__(self, draw, count, features):
        used = draw.chance(ADDITIVE, count, 1, 1) & draw.chance(0.5, count, 1, features)
        self.slopes = draw.normal(count, 1, features) * draw.log_uniform(0.3, 3.0, count, 1, 1) * used
        self.heights = draw.normal(count, 1, features) * draw.log_uniform(0.1, 1.0, count, 1, 1) * used
        self.rates = 2 * math.pi / draw.log_uniform(0.15, 1.0, count, 1, features)
        self.phases = draw.uniform(count, 1, features, high=2 * math.pi)

    def __call__(self, x):
        return (self.slopes * (x - 0.5) + self.heights * torch.cos(self.rates * x + self.phases)).sum(-1)


# Warps.


class InputWarp:
    """Kumaraswamy's distribution function on each feature, for some of the datasets."""

    def __init__(self, draw, count, features):
        warped = draw.chance(INPUT_WARPS, count, 1, 1)
        one = torch.ones((), device=draw.device)
        self.a = torch.where(warped, draw.log_normal(0.0, 0.75, count, 1, features), one)
        self.b = torch.where(warped, draw.log_normal(0.0, 0.75, count, 1, features), one)

    def __call__(self, x):
        return 1 - (1 - x.clamp(1e-6, 1 - 1e-6) ** self.a).clamp(min=1e-7) ** self.b


class OutputWarp:
    """Monotone functions of the standardised output, for some of the datasets. The last one makes plateaus."""

    def __init__(self, draw, count):
        self.used = draw.chance(OUTPUT_WARPS, count, 1)
        self.kind = draw.integer(5, count, 1)
        self.strength = draw.log_uniform(0.4, 2.5, count, 1)
        self.shift = draw.normal(count, 1)

    def __call__(self, f):
        s, size, sign = self.strength, f.abs() + 1e-9, torch.sign(f)
        warps = (
            torch.exp((s * f).clamp(max=6.0)),
            sign * size**s,
            sign * torch.log1p(4 * s * size),
            torch.tanh(s * (f - self.shift)),
            torch.round(2 * s * f),
        )
        result = warps[0]
        for kind in range(1, len(warps)):
            result = torch.where(self.kind == kind, warps[kind], result)
        return torch.where(self.used, result, f)


def location_and_scale(values):
    return values.mean(1, keepdim=True), values.std(1, keepdim=True).clamp(min=1e-6)


class Function:
    """A random function of every kind: (B, N, d) -> (B, N), with its values on a pool of uniform points."""

    def __init__(self, draw, count, features, exact):
        self.networks = 0 if exact else round(NETWORKS * count)
        self.bowls = 0 if exact else round(BOWLS * count)
        self.processes = count - self.networks - self.bowls
        kernels = draw_kernels(draw, self.processes, features)
        self.process = (ExactSample if exact else FourierSample)(draw, kernels)
        self.additive = Additive(draw, self.processes, features)
        self.network = Network(draw, self.networks, features)
        self.bowl = Bowl(draw, self.bowls, features)
        self.input_warp, self.output_warp = InputWarp(draw, count, features), OutputWarp(draw, count)
        self.sign = 1.0 - 2.0 * draw.chance(0.5, count, 1).float()
        self.pool = draw.uniform(count, EXACT_POOL if exact else POOL, features)
        self.pool_values = self.calibrate(draw.device)

    def calibrate(self, device):
        """Brings the output of everything but plain processes to unit scale. Returns the values on the pool."""
        plain = torch.arange(self.sign.shape[0], device=device).unsqueeze(1) < self.processes
        plain = plain & ~self.output_warp.used
        zero, one = torch.zeros((), device=device), torch.ones((), device=device)
        values = self.raw(self.pool)
        self.before = [torch.where(plain, n, v) for n, v in zip((zero, one), location_and_scale(values))]
        values = self.output_warp((values - self.before[0]) / self.before[1])
        self.after = [torch.where(plain, n, v) for n, v in zip((zero, one), location_and_scale(values))]
        return self.sign * (values - self.after[0]) / self.after[1]

    def raw(self, x):
        x = self.input_warp(x)
        a, b = self.processes, self.processes + self.networks
        parts = [self.process(x[:a]) + self.additive(x[:a])]
        if self.networks:
            parts.append(self.network(x[a:b]))
        if self.bowls:
            parts.append(self.bowl(x[b:]))
        return torch.cat(parts)

    def __call__(self, x):
        values = self.output_warp((self.raw(x) - self.before[0]) / self.before[1])
        return self.sign * (values - self.after[0]) / self.after[1]


# Designs.


def take(points, index):
    """points (B, P, d), index (B, N) -> (B, N, d)."""
    return points.gather(1, index.unsqueeze(-1).expand(-1, -1, points.shape[-1]))


def best_centres(draw, pool, values, count=3):
    """The best points of the pool, and for each dataset how many of them count."""
    order = values.topk(count, 1).indices
    return take(pool, order), 1 + draw.integer(count, values.shape[0], 1)


def cloud(draw, centres, used, number, smallest):
    """Points around the centres: most at the smallest radius, some as far out as 0.3. (B, number, d)"""
    count, _, features = centres.shape
    which = (draw.uniform(count, number) * used).long()
    share = draw.uniform(count, number, 1).square()
    radius = smallest.log() * (1 - share) + math.log(0.3) * share
    return take(centres, which) + radius.exp() * draw.normal(count, number, features)


def draw_design(draw, function, shape):
    """The context and query points, in the unit cube."""
    count, n, m, d = shape.datasets, shape.context, shape.queries, shape.features
    centres, used = best_centres(draw, function.pool, function.pool_values)
    searching = (torch.arange(count, device=draw.device) % 2 == 0).unsqueeze(1)
    smallest = draw.log_uniform(0.003, 0.3, count, 1, 1)
    share = draw.uniform(count, 1, low=0.2, high=0.95)
    near = ((draw.uniform(count, n) < share) & searching).unsqueeze(-1)
    x = torch.where(near, cloud(draw, centres, used, n, smallest), draw.uniform(count, n, d))
    x, levels = snap(draw, x.clamp(0, 1))
    return x, draw_queries(draw, x, centres, used, searching, m, levels)


def draw_queries(draw, x, centres, used, searching, number, levels):
    """Uniform points, points near context points, and for a search points around its centres."""
    count, n, d = x.shape
    radius = draw.log_uniform(0.003, 0.3, count, number, 1)
    u = draw.uniform(count, number)
    at_centres = ((u < 0.4) & searching).unsqueeze(-1)
    at_context = (u > 0.8).unsqueeze(-1)
    neighbours = take(x, draw.integer(n, count, number)) + radius * draw.normal(count, number, d)
    around = cloud(draw, centres, used, number, radius)
    queries = torch.where(at_context, neighbours, draw.uniform(count, number, d))
    queries = torch.where(at_centres, around, queries).clamp(0, 1)
    return round_to(queries, levels)


def round_to(x, levels):
    """Rounds the features with levels > 0 to a grid of that many steps."""
    return torch.where(levels > 0, torch.round(x * levels) / levels.clamp(min=1), x)


def snap(draw, x):
    """Some features of some datasets take few values, as integers and categories do."""
    count, _, features = x.shape
    discrete = draw.chance(0.1, count, 1, 1) & draw.chance(0.5, count, 1, features)
    levels = (1 + draw.integer(9, count, 1, features)) * discrete
    return round_to(x, levels), levels


# Observations.


def draw_noise(draw, count):
    """The standard deviation of the noise of each dataset; next to none for 40 %."""
    alpha = draw.log_normal(-4.0, 1.0, count, 1)
    hebo = draw.log_normal(-4.63, 0.5, count, 1).sqrt()
    u = draw.uniform(count, 1)
    noise = torch.where(u < 0.7, alpha, hebo)
    return torch.where(u < 0.4, torch.full_like(noise, 1e-4), noise).clamp(max=1.0)


def scale_inputs(x):
    return (x - 0.5) * math.sqrt(12)


def standardise(x_context, y, x_query, f):
    """The batch in the units of the model: y and the target by the mean and deviation of the context."""
    mean = y.mean(1, keepdim=True)
    deviation = y.std(1, unbiased=False, keepdim=True)
    weight = (deviation > 1e-4).float()
    deviation = torch.where(deviation > 1e-4, deviation, torch.ones_like(deviation))
    target = ((f - mean) / deviation).clamp(-TARGET_LIMIT, TARGET_LIMIT)
    return Batch(scale_inputs(x_context), (y - mean) / deviation, scale_inputs(x_query), target, weight.squeeze(1))


@torch.no_grad()
def draw(shape, device, exact=False):
    """A batch of datasets of one shape."""
    with full_precision():
        return draw_batch(Draw(device), shape, exact)


def draw_batch(source, shape, exact):
    function = Function(source, shape.datasets, shape.features, exact)
    x_context, x_query = draw_design(source, function, shape)
    values = function(torch.cat((x_context, x_query), 1))
    f_context, f_query = values[:, : shape.context], values[:, shape.context :]
    noise = draw_noise(source, shape.datasets) * source.normal(*f_context.shape)
    return standardise(x_context, f_context + noise, x_query, f_query)
