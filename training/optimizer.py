"""The optimizer: Muon for the matrices inside the network, AdamW for everything else.

    parameters = FlatParameters(model)
    optimizer = Optimizer(model)
    loss.backward(); optimizer.step(muon_rate, adam_rate); parameters.zero_gradients()

All parameters lie in one tensor and all gradients in another, so that clipping and averaging are single operations.
"""

import math

import torch

ALIGNMENT = 64  # of parameters, in numbers
MOMENTUM = 0.95
WEIGHT_DECAY = 0.01  # of the matrices, per unit of learning rate
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
# Matrices that do not map hidden values to hidden values belong to AdamW.
OUTSIDE = ("ind_vectors", "cls_tokens", "in_linear", "y_encoder", "decoder.2", "ssmax_layer")


class FlatParameters:
    """Lets all parameters of a model share one tensor, and their gradients another. Each begins at a round address."""

    def __init__(self, model):
        self.parameters = list(model.parameters())
        self.sizes = [-(-p.numel() // ALIGNMENT) * ALIGNMENT for p in self.parameters]
        self.values = self.parameters[0].detach().new_zeros(sum(self.sizes))
        self.gradients = torch.zeros_like(self.values)
        for p, value, gradient in zip(self.parameters, self.split(self.values), self.split(self.gradients)):
            value.copy_(p.detach())
            p.data, p.grad = value, gradient

    def split(self, flat):
        parts = flat.split(self.sizes)
        return [part[: p.numel()].view(p.shape) for part, p in zip(parts, self.parameters)]

    def zero_gradients(self):
        self.gradients.zero_()

    def clip_gradients(self, limit):
        """Limits the norm of the gradient. A gradient that is not finite becomes zero. Returns the norm."""
        norm = self.gradients.norm()
        scale = torch.where(torch.isfinite(norm), (limit / (norm + 1e-9)).clamp(max=1.0), torch.zeros_like(norm))
        torch.nan_to_num_(self.gradients, 0.0, 0.0, 0.0).mul_(scale)
        return norm


def orthogonalise(stack, steps=5):
    """Moves all singular values of each matrix (rows >= columns) of a stack towards 1."""
    a, b, c = NEWTON_SCHULZ
    x = stack.to(torch.bfloat16 if stack.is_cuda else torch.float32).transpose(1, 2)
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(steps):
        s = x @ x.transpose(1, 2)
        x = a * x + (b * s + c * s @ s) @ x
    return x.transpose(1, 2).to(stack.dtype)


def matrices(name, tensor):
    """The square or tall matrices in a parameter: queries, keys and values are three."""
    count = 3 if name.endswith("in_proj_weight") else 1
    parts = tensor.view(count, -1, tensor.shape[1]).unbind(0)
    return [part if part.shape[0] >= part.shape[1] else part.t() for part in parts]


class Muon:
    """Momentum whose matrices are orthogonalised. Matrices of one shape are handled together."""

    def __init__(self, named):
        self.groups = {}
        for name, p in named:
            for value, gradient in zip(matrices(name, p.data), matrices(name, p.grad)):
                values, gradients = self.groups.setdefault(tuple(value.shape), ([], []))
                values.append(value)
                gradients.append(gradient)
        self.momentum = {shape: torch.zeros_like(torch.stack(pair[1])) for shape, pair in self.groups.items()}

    @torch.no_grad()
    def step(self, rate):
        for shape, (values, gradients) in self.groups.items():
            gradient, momentum = torch.stack(gradients), self.momentum[shape]
            momentum.mul_(MOMENTUM).add_(gradient)
            update = orthogonalise(gradient + MOMENTUM * momentum)
            torch._foreach_mul_(values, 1 - rate * WEIGHT_DECAY)
            # The size of an update is that of a usual step of AdamW.
            torch._foreach_add_(values, list(update.unbind(0)), alpha=-rate * 0.2 * math.sqrt(max(shape)))


class Optimizer:
    def __init__(self, model):
        named = list(model.named_parameters())
        inside = [(n, p) for n, p in named if p.dim() == 2 and not any(word in n for word in OUTSIDE)]
        names = {n for n, _ in inside}
        rest = [p for n, p in named if n not in names]
        self.muon = Muon(inside)
        fused = {"fused": True} if rest[0].is_cuda else {}
        self.adam = torch.optim.AdamW(rest, lr=1e-3, betas=(0.9, 0.98), weight_decay=0.0, **fused)

    def step(self, muon_rate, adam_rate):
        self.muon.step(muon_rate)
        for group in self.adam.param_groups:
            group["lr"] = adam_rate
        self.adam.step()

    def load(self, momentum, adam):
        for shape, stack in momentum.items():
            self.muon.momentum[shape].copy_(stack)
        self.adam.load_state_dict(adam)
