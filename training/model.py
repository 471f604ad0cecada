"""The in-context regressor: the architecture of TabICLv2's regressor, with a configuration of any size.

    model = Regressor(Config())
    quantiles = model(x_context, y_context, x_query)

takes a batch of datasets of one shape: x_context (B, n, d), y_context (B, n), x_query (B, m, d), and returns the
quantiles (B, m, K) of the standardised target at the levels i / (K + 1). The caller scales x and standardises y.

The names and shapes of the parameters are those of the public checkpoint, so that one engine reads both.
Query rows never influence context rows or each other.
"""

import contextlib
import dataclasses
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

SSMAX_WIDTH = 64  # the hidden width of both networks of QASSMax
EPSILON = 1e-5  # of a layer norm
HAS_FUSED_ATTENTION = hasattr(F, "scaled_dot_product_attention")


@dataclasses.dataclass
class Config:
    """The sizes of a model. The default is the model embedded in the program."""

    embed_dim: int = 64
    col_num_blocks: int = 2
    col_nhead: int = 4
    col_num_inds: int = 32
    row_num_blocks: int = 2
    row_nhead: int = 4
    row_num_cls: int = 3
    row_rope_base: int = 100000
    icl_num_blocks: int = 8
    icl_nhead: int = 4
    ff_factor: int = 2
    num_quantiles: int = 199

    # What the architecture fixes, as the public checkpoint spells it.
    FIXED = {
        "max_classes": "0",
        "col_affine": "false",
        "col_feature_group": "same",
        "col_feature_group_size": "3",
        "col_target_aware": "true",
        "col_ssmax": "qassmax-mlp-elementwise",
        "row_rope_interleaved": "false",
        "icl_ssmax": "qassmax-mlp-elementwise",
        "dropout": "0.0",
        "activation": "gelu",
        "norm_first": "true",
        "bias_free_ln": "true",
        "zero_init": "false",
        "recompute": "false",
    }

    def texts(self):
        """The configuration as texts, for the metadata of a file of weights."""
        return {**self.FIXED, **{name: str(value) for name, value in dataclasses.asdict(self).items()}}

    @staticmethod
    def from_texts(texts):
        names = [field.name for field in dataclasses.fields(Config)]
        return Config(**{name: int(texts[name]) for name in names})


def plain_attention(q, k, v):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    dtype = torch.promote_types(q.dtype, torch.float32)
    return torch.softmax(scores, -1, dtype=dtype).to(v.dtype) @ v


def fused_attention(q, k, v):
    """PyTorch's kernel. Five dimensions become four: the kernel's batch may not exceed 65535."""
    if not HAS_FUSED_ATTENTION:
        return plain_attention(q, k, v)
    if q.dim() == 4:
        return F.scaled_dot_product_attention(q, k, v)
    shape = q.shape
    q, k, v = (t.flatten(1, 2) for t in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v).view(shape)


def summed_attention(q, k, v):
    """Products and sums, for a handful of keys. Slow, but the compiler turns it into fast kernels."""
    dtype = torch.promote_types(q.dtype, torch.float32)
    scores = (q.to(dtype).unsqueeze(-2) * k.to(dtype).unsqueeze(-3)).sum(-1) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, -1)
    return (weights.unsqueeze(-1) * v.to(dtype).unsqueeze(-3)).sum(-2).to(v.dtype)


ATTENTION = {"plain": plain_attention, "fused": fused_attention, "summed": summed_attention}


def exactly(function, *inputs):
    """Calls a small layer at the precision of its weights, also under autocast."""
    with torch.autocast(inputs[0].device.type, enabled=False):
        return function(*inputs)


class Norm(nn.Module):
    """A layer norm without bias."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, None, EPSILON)


class QueryScale(nn.Module):
    """QASSMax: multiplies the queries by a factor that depends on the number of keys and on the query."""

    def __init__(self, width, head_width):
        super().__init__()
        self.base_mlp = nn.Sequential(nn.Linear(1, SSMAX_WIDTH), nn.GELU(), nn.Linear(SSMAX_WIDTH, width))
        self.query_mlp = nn.Sequential(nn.Linear(head_width, SSMAX_WIDTH), nn.GELU(), nn.Linear(SSMAX_WIDTH, head_width))

    def forward(self, q, log_keys):
        """q: (..., rows, heads, head width); log_keys: (1)."""
        base = exactly(self.base_mlp, log_keys).view(q.shape[-2:]).to(q.dtype)
        return q * base * (1 + torch.tanh(self.query_mlp(q)))


def rotate(x, angles):
    """RoPE on x (..., heads, tokens, head width); angles: (tokens, head width / 2)."""
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, width, heads, scaled, kind="fused"):
        super().__init__()
        self.heads = heads
        self.kind = kind
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * width))
        self.out_proj = nn.Linear(width, width)
        self.ssmax_layer = QueryScale(width, width // heads) if scaled else None

    def split(self, x):
        return x.unflatten(-1, (self.heads, x.shape[-1] // self.heads))

    def project(self, q, kv):
        weight, bias, width = self.in_proj_weight, self.in_proj_bias, q.shape[-1]
        if kv is None:
            return F.linear(q, weight, bias).chunk(3, -1)
        queries = F.linear(q, weight[:width], bias[:width])
        return (queries, *F.linear(kv, weight[width:], bias[width:]).chunk(2, -1))

    def forward(self, q, kv=None, log_keys=None, angles=None):
        """The rows q attend to the rows kv, or to themselves."""
        q, k, v = (self.split(t) for t in self.project(q, kv))
        if self.ssmax_layer is not None:
            q = self.ssmax_layer(q, log_keys)
        q, k, v = (t.transpose(-2, -3) for t in (q, k, v))
        if angles is not None:
            q, k = rotate(q, angles[: q.shape[-2]]), rotate(k, angles)
        if q.dim() < k.dim():  # learned vectors: the same for the whole batch
            q = q.expand(k.shape[0], -1, -1, -1).contiguous()
        out = ATTENTION[self.kind](q, k, v)
        return self.out_proj(out.transpose(-2, -3).flatten(-2))


class Block(nn.Module):
    """Attention and a feed-forward network, both behind a norm and beside a residual."""

    def __init__(self, width, heads, factor, scaled=False, kind="fused"):
        super().__init__()
        self.attn = Attention(width, heads, scaled, kind)
        self.linear1 = nn.Linear(width, factor * width)
        self.linear2 = nn.Linear(factor * width, width)
        self.norm1 = Norm(width)
        self.norm2 = Norm(width)

    def forward(self, q, kv=None, keys=None, log_keys=None, angles=None):
        """The rows q attend to the rows kv, or to the first `keys` of themselves, or to all of themselves."""
        normed = self.norm1(q)
        if kv is not None:
            source = self.norm1(kv)
        else:
            source = None if keys is None else normed[..., :keys, :]
        u = q + self.attn(normed, source, log_keys, angles)
        return u + self.linear2(F.gelu(self.linear1(self.norm2(u))))


class InducedBlock(nn.Module):
    """The rows of a column, seen through a few learned vectors."""

    def __init__(self, config):
        super().__init__()
        width, heads, factor = config.embed_dim, config.col_nhead, config.ff_factor
        self.ind_vectors = nn.Parameter(torch.empty(config.col_num_inds, width))
        self.multihead_attn1 = Block(width, heads, factor, scaled=True)
        self.multihead_attn2 = Block(width, heads, factor)

    def forward(self, rows, context, log_keys):
        hidden = self.multihead_attn1(self.ind_vectors, rows[:, :context], log_keys=log_keys)
        return self.multihead_attn2(rows, hidden)


def blocks(items):
    """A list of blocks under the name that the checkpoint uses."""
    holder = nn.Module()
    holder.blocks = nn.ModuleList(items)
    return holder


@contextlib.contextmanager
def full_precision():
    """Products of float32 matrices without TF32."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


class ColumnEmbedder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.in_linear = nn.Linear(3, config.embed_dim)
        self.y_encoder = nn.Linear(1, config.embed_dim)
        self.tf_col = blocks(InducedBlock(config) for _ in range(config.col_num_blocks))

    def forward(self, x, y, log_keys):
        """x (B, T, H), y (B, n) -> (B, T, H, E)."""
        (batch, rows, features), context = x.shape, y.shape[1]
        slots = torch.arange(features, device=x.device)
        group = torch.stack([(slots + offset) % features for offset in (1, 2, 4)], -1)
        with full_precision():  # points may lie close together
            z = exactly(self.in_linear, x[:, :, group]).transpose(1, 2)
        labels = exactly(self.y_encoder, y.unsqueeze(-1)).unsqueeze(1)
        z = torch.cat((z[:, :, :context] + labels, z[:, :, context:]), 2).flatten(0, 1)
        for block in self.tf_col.blocks:
            z = block(z, context, log_keys)
        return z.view(batch, features, rows, -1).transpose(1, 2)


class RowInteractor(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, heads = config.embed_dim, config.row_nhead
        self.cls_tokens = nn.Parameter(torch.empty(config.row_num_cls, width))
        self.tf_row = blocks(Block(width, heads, config.ff_factor) for _ in range(config.row_num_blocks))
        self.tf_row.rope = nn.Module()
        powers = torch.arange(0, width // heads, 2, dtype=torch.float64) / (width // heads)
        self.tf_row.rope.register_buffer("freqs", (config.row_rope_base**-powers).float())
        self.out_ln = Norm(width)

    def forward(self, slots):
        """(B, T, H, E) -> (B, T, D)."""
        cls = self.cls_tokens.expand(*slots.shape[:2], -1, -1)
        tokens, count = torch.cat((cls, slots), 2), cls.shape[2]
        freqs = self.tf_row.rope.freqs
        angles = torch.arange(tokens.shape[2], device=tokens.device, dtype=freqs.dtype).unsqueeze(1) * freqs
        *full, last = self.tf_row.blocks
        for block in full:
            tokens = block(tokens, angles=angles)
        out = last(tokens[:, :, :count], tokens, angles=angles)
        return self.out_ln(out).flatten(2)


class InContextPredictor(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.row_num_cls * config.embed_dim
        make = lambda: Block(width, config.icl_nhead, config.ff_factor, scaled=True)
        self.tf_icl = blocks(make() for _ in range(config.icl_num_blocks))
        self.ln = Norm(width)
        self.y_encoder = nn.Linear(1, width)
        self.decoder = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, config.num_quantiles))

    def forward(self, rows, y, log_keys):
        """Rows (B, T, D) and y (B, n) -> the query rows (B, m, D) before the decoder."""
        context = y.shape[1]
        labels = exactly(self.y_encoder, y.unsqueeze(-1))
        rows = torch.cat((rows[:, :context] + labels, rows[:, context:]), 1)
        *full, last = self.tf_icl.blocks
        for block in full:
            rows = block(rows, keys=context, log_keys=log_keys)
        return self.ln(last(rows[:, context:], rows[:, :context], log_keys=log_keys))


class Regressor(nn.Module):
    def __init__(self, config, row_attention="fused"):
        super().__init__()
        self.config = config
        self.col_embedder = ColumnEmbedder(config)
        self.row_interactor = RowInteractor(config)
        self.icl_predictor = InContextPredictor(config)
        self.set_row_attention(row_attention)
        self.initialise()

    def set_row_attention(self, kind):
        for block in self.row_interactor.tf_row.blocks:
            block.attn.kind = kind

    @torch.no_grad()
    def initialise(self):
        """Small residual branches, queries unscaled, and the quantiles of a standard normal as first answer."""
        depth = 2 * self.config.icl_num_blocks
        for name, p in self.named_parameters():
            if p.dim() == 2:
                p.normal_(std=p.shape[1] ** -0.5)
            if name.endswith(("out_proj.weight", "linear2.weight")):
                p.mul_(depth**-0.5)
            if name.endswith("bias"):
                p.zero_()
            if name.endswith(("base_mlp.2.weight", "query_mlp.2.weight", "decoder.2.weight")):
                p.mul_(0.1)
            if name.endswith("base_mlp.2.bias"):
                p.fill_(1.0)
            if name.endswith("base_mlp.0.bias"):
                p.normal_()
        self.icl_predictor.decoder[2].bias.copy_(torch.special.ndtri(self.levels()))

    def levels(self, **options):
        count = self.config.num_quantiles
        return torch.arange(1, count + 1, **options) / (count + 1)

    def compile_blocks(self):
        """Compiles each block by itself, for all shapes at once. Blocks of one kind share their code."""
        import torch._dynamo

        for name in ("recompile_limit", "cache_size_limit"):
            if hasattr(torch._dynamo.config, name):
                setattr(torch._dynamo.config, name, 64)
                break
        for block in [module for module in self.modules() if isinstance(module, Block)]:
            block.compile(dynamic=True)

    def stages(self, x_context, y_context, x_query):
        """The output of every stage, for checks: columns, rows, query rows, quantiles."""
        x = torch.cat((x_context, x_query), 1)
        log_keys = torch.full((1,), math.log(max(y_context.shape[1], 1)), dtype=x.dtype, device=x.device)
        columns = self.col_embedder(x, y_context, log_keys)
        rows = self.row_interactor(columns)
        icl = self.icl_predictor(rows, y_context, log_keys)
        return columns, rows, icl, exactly(self.icl_predictor.decoder, icl.to(x.dtype))

    def forward(self, x_context, y_context, x_query):
        return self.stages(x_context, y_context, x_query)[-1]


def moments(quantiles):
    """The mean and standard deviation that the quantiles stand for, and that the engine uses."""
    count = quantiles.shape[-1]
    normal = torch.special.ndtri(torch.arange(1, count + 1, dtype=torch.float64) / (count + 1))
    return quantiles.mean(-1), quantiles.std(-1) / normal.std().item()
