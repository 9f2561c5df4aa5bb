"""Muon for the matrices of the layers and Adam for all other weights, distributed over the workers.

Muon replaces the mean gradient G of a matrix by the nearest matrix with orthogonal rows or columns,
    U = G (G^T G)^(-1/2),  computed by a few odd polynomials of G,
scaled so that its elements are about as large as Adam's (0.2 on average). Joined projections count as
one matrix each. All weights are in one vector, ordered by Groups; every worker updates a part of it.
"""

import math

import torch

# Polynomials a x + b x^3 + c x^5 that together bring singular values in [0.003, 1] to 1 ("Polar Express").
POLYNOMIALS = (
    (8.28721201814563, -23.595886519098837, 17.300387312530933),
    (4.107059111542203, -2.9478499167379106, 0.5448431082926601),
    (3.9486908534822946, -2.908902115956949, 0.5518191394370137),
    (3.3184196573706015, -2.488488024314874, 0.51004894012372),
    (2.300652019954817, -1.6689039845747493, 0.4188073119525673),
)
SAFETY = 1.01  # keeps rounding from raising a singular value above 1, where the polynomials diverge
MOMENTUM = 0.95
BETAS = 0.9, 0.98


def orthogonalize(matrices, dtype):
    """Returns the orthogonal factors of `matrices` [n, rows, columns], computed in `dtype`."""
    x = matrices.to(dtype)
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.transpose(1, 2)
    x = x / (x.float().norm(dim=(1, 2), keepdim=True) * 1.01 + 1e-7).to(x.dtype)
    for a, b, c in POLYNOMIALS:
        a, b, c = a / SAFETY, b / SAFETY**3, c / SAFETY**5
        square = x @ x.transpose(1, 2)
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x.transpose(1, 2) if tall else x


class Group:
    """Matrices of one shape that are adjacent in the vector."""

    def __init__(self, rows, columns, count, start, muon=False, decays=False, matrix=True):
        self.rows, self.columns, self.count, self.start = rows, columns, count, start
        self.muon, self.decays, self.matrix = muon, decays, matrix

    def views(self, vector, rank, workers):
        """This worker's part of the group: whole matrices of a Muon group, rows of a single one."""
        size = self.rows * self.columns
        whole = vector[self.start : self.start + self.count * size]
        if self.muon:
            share = -(-self.count // workers)
            return whole.view(self.count, self.rows, self.columns)[rank * share : (rank + 1) * share]
        share = -(-self.rows // workers)
        return whole.view(self.rows, self.columns)[rank * share : (rank + 1) * share]


class Layout:
    """The position of each parameter in the vector of all weights."""

    def __init__(self, model, muon=True):
        parts = {name: getattr(module, "parts", 1) for name, module in model.named_modules()}
        wanted, embedding, rest = {}, [], []
        for name, parameter in model.named_parameters():
            count = parts.get(name.rsplit(".", 1)[0], 1)
            if name == "embedding":
                embedding.append(name)
            elif parameter.dim() == 2:
                wanted.setdefault((parameter.shape[0] // count, parameter.shape[1]), []).append((name, count))
            else:
                rest.append(name)
        self.shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
        self.order, self.groups, self.size = [], [], 0
        for (rows, columns), members in wanted.items():
            count = sum(count for _, count in members)
            if muon:
                self.add([name for name, _ in members], rows, columns, count, muon=True, decays=True)
            else:  # one tall matrix, of which each worker takes some rows
                self.add([name for name, _ in members], rows * count, columns, 1, decays=True)
        self.add(embedding, *self.shapes["embedding"], 1)
        self.add(rest, sum(math.prod(self.shapes[name]) for name in rest), 1, 1, matrix=False)

    def add(self, names, rows, columns, count, **kind):
        self.groups.append(Group(rows, columns, count, self.size, **kind))
        self.order += names
        self.size += rows * columns * count

    def views(self, vector):
        """Tensors of the vector's memory by name."""
        named, at = {}, 0
        for name in self.order:
            size = math.prod(self.shapes[name])
            named[name] = vector[at : at + size].view(self.shapes[name])
            at += size
        return named

    def pack(self, weights):
        return torch.cat([weights[name].float().flatten() for name in self.order])

    def unpack(self, vector):
        """Copies of the weights by name."""
        return {name: view.clone() for name, view in self.views(vector.detach().cpu()).items()}


def quantized(weights):
    """Returns the weights rounded to 255 levels per row."""
    scale = weights.abs().amax(-1, keepdim=True).clamp(min=1e-9) / 127
    return torch.round(weights / scale) * scale


def total(gradients):
    """The sum of the workers' gradients."""
    first, *others = gradients
    return sum(others, first)


class Part:
    """The part of a group that one worker updates, as views of the shared vectors."""

    def __init__(self, group, shared, rank, workers):
        self.group = group
        self.weights, self.average, self.mean, self.square, self.rounded = (
            group.views(vector, rank, workers)
            for vector in (shared.vector, shared.average, shared.mean, shared.square, shared.rounded)
        )
        self.gradients = [group.views(gradient, rank, workers) for gradient in shared.gradients]

    def adam(self, gradient, rate, step):
        self.mean.lerp_(gradient, 1 - BETAS[0])
        self.square.lerp_(gradient.square(), 1 - BETAS[1])
        scale = (self.square / (1 - BETAS[1] ** step)).sqrt_().add_(1e-9)
        self.weights.addcdiv_(self.mean, scale, value=-rate / (1 - BETAS[0] ** step))

    def muon(self, gradient, rate):
        self.mean.mul_(MOMENTUM).add_(gradient)
        update = orthogonalize(gradient.add(self.mean, alpha=MOMENTUM), self.rounded.dtype)  # Nesterov's momentum
        self.weights.sub_(update, alpha=rate * 0.2 * math.sqrt(max(self.group.rows, self.group.columns)))

    def publish(self, keep, quantize):
        """Update the moving average and the copy that the forward passes read."""
        self.average.lerp_(self.weights, 1 - keep)
        self.rounded.copy_(quantized(self.weights) if quantize and self.group.matrix else self.weights)


class Optimizer:
    """One worker's part of every group."""

    def __init__(self, layout, shared, rank, args):
        workers = len(shared.gradients)
        parts = [Part(group, shared, rank, workers) for group in layout.groups]
        self.parts = [part for part in parts if part.weights.numel()]
        self.shared, self.rank, self.args = shared, rank, args

    def step(self, step, rate):
        """Step number `step`, counted from 1; returns the norm of the gradient."""
        shared, args = self.shared, self.args
        shared.wait()
        gradients = [total(part.gradients) for part in self.parts]
        shared.norms[self.rank] = sum(gradient.square().sum() for gradient in gradients)
        shared.wait()
        norm = math.sqrt(shared.norms.sum().item())
        keep = min(args.average, (1 + step) / (10 + step))
        for part, gradient in zip(self.parts, gradients):
            gradient *= min(1.0, args.clip / (norm + 1e-9))
            if part.group.decays:
                part.weights.mul_(1 - rate * args.shrink)
            if part.group.muon:
                part.muon(gradient, rate)
            else:
                part.adam(gradient, rate * args.adam_rate, step)
            part.publish(keep, args.quantize)
        shared.wait()
        return norm
