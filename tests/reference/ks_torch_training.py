#!/usr/bin/env python3
"""A hundred updates of the paper's KS correction network in PyTorch, for test_torch.c; run by hand with a python3 that
has torch (five minutes of one core):

    python3 tests/reference/ks_torch_training.py

Writes ks_torch_training.h beside itself: the start states, and losses and distance from the first weights of every run.
Nothing is shared with the program but definitions: weights and batches are drawn by Philox, written again here;
trajectories come from ks_numpy.py; gradients from autograd.  The solver is in double, the network in the run's precision.
"""
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from ks_numpy import DT, POINTS, SUBSTEPS, frame

FEATURES, DEPTH, SLOPE, SCALE = 26, 8, 0.01, 8.0
DOMAIN_SIZES = [7.2, 7.6, 8.0, 8.8, 9.6, 10.4]
BATCH, STEPS, UPDATES, FRAMES, WARMUP = 16, 3, 100, 40, 300
BATCH_SEED = 20240217
MODES = {"one": 1, "nog": STEPS, "wig": STEPS}
OPTIMS = {
    "adam": (lambda p: torch.optim.Adam(p, lr=1e-4), "-optim_lr 1e-4"),
    "adamw": (lambda p: torch.optim.AdamW(p, lr=1e-4, weight_decay=1), "-optim_lr 1e-4 -optim_weight_decay 1"),
    "sgd": (lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True, weight_decay=0.01),
            "-optim_lr 0.02 -optim_momentum 0.9 -optim_nesterov -optim_weight_decay 0.01"),
}
MASK = 2**64 - 1


def mix(x):
    """The finaliser of SplitMix64."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def stream(purpose, a, b):
    """FNV-1a of the word, the numbers mixed in."""
    h = 0xCBF29CE484222325
    for c in purpose.encode():
        h = ((h ^ c) * 0x100000001B3) & MASK
    return mix(mix(mix(h) ^ a) ^ b)


def uniform(seed, stream_number, count):
    """Draws 0 .. count - 1 in [0, 1): Philox 4x32-10, counter (index, stream), key seed; 53 bits of two words."""
    index, low = np.arange(count, dtype=np.uint64), np.uint64(0xFFFFFFFF)
    c = [index & low, index >> np.uint64(32), np.full(count, stream_number & 0xFFFFFFFF, np.uint64),
         np.full(count, stream_number >> 32, np.uint64)]
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> np.uint64(32)) ^ c[1] ^ np.uint64(k0), p1 & low,
             (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(k1), p0 & low]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return (((c[0] << np.uint64(32)) | c[1]) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def fill(conv, name):
    """First weights by their name: uniform, +-1/sqrt(fan_in); stored [tap][in][out]."""
    out, inputs, taps = conv.weight.shape
    bound, seed = 1 / np.sqrt(taps * inputs), stream("weights", 1, 0)

    def draw(what, count):
        return torch.from_numpy(bound * (2 * uniform(seed, stream(f"{name}.{what}", 0, 0), count) - 1))

    with torch.no_grad():
        conv.weight.copy_(draw("weight", taps * inputs * out).reshape(taps, inputs, out).permute(2, 1, 0))
        conv.bias.copy_(draw("bias", out))


class Net(nn.Module):
    def __init__(self, dtype):
        super().__init__()

        def conv(name, inputs, out):
            layer = nn.Conv1d(inputs, out, 3, padding=1, padding_mode="circular", dtype=dtype)
            fill(layer, name)
            return layer

        self.first = conv("first", 2, FEATURES)
        self.blocks = nn.ModuleList(nn.ModuleList(conv(f"block{b}.conv{k}", FEATURES, FEATURES) for k in range(2))
                                    for b in range(DEPTH))
        self.last = conv("last", FEATURES, 1)

    def forward(self, x):
        h = self.first(x)
        for a, b in self.blocks:
            h = F.leaky_relu(b(F.leaky_relu(a(h), SLOPE)) + h, SLOPE)
        return self.last(h)


class Solver:
    """ETD1, one frame of two sub-steps, for samples of different domain sizes s; in double."""

    def __init__(self, s):
        k = torch.arange(POINTS // 2 + 1, dtype=torch.float64) / s[:, None]
        z = DT * (k**2 - k**4)
        phi = torch.where(z.abs() < 1e-14, torch.ones_like(z), torch.expm1(z) / torch.where(z == 0, torch.ones_like(z), z))
        k[:, -1] = 0  # an odd derivative has no highest mode
        self.e, self.c = torch.exp(z), -0.5j * k * DT * phi

    def __call__(self, u):
        for _ in range(SUBSTEPS):
            u = torch.fft.irfft(self.e * torch.fft.rfft(u) + self.c * torch.fft.rfft(u * u), n=POINTS)
        return u


def starts():
    """A state on the attractor for each domain size."""
    x = 2 * np.pi * np.arange(POINTS) / POINTS
    return [frame(np.cos(x) + 0.1 * np.cos(2 * x + j), s, 2, DT, SUBSTEPS * WARMUP).real
            for j, s in enumerate(DOMAIN_SIZES)]


def trajectories(start):
    """[domain size][frame][point] by ETDRK2."""
    u = [start]
    for _ in range(FRAMES - 1):
        u.append([frame(v, s, 2, DT, SUBSTEPS).real for v, s in zip(u[-1], DOMAIN_SIZES)])
    return torch.from_numpy(np.array(u)).transpose(0, 1)


def places(update):
    """Trajectory and first frame of every sample of a batch: windows of STEPS + 1 frames."""
    draw = np.array([uniform(BATCH_SEED, stream("batch", update, i), 2) for i in range(BATCH)])
    return (draw[:, 0] * len(DOMAIN_SIZES)).astype(int), (draw[:, 1] * (FRAMES - STEPS)).astype(int)


def train(data, mode, make, dtype):
    """Losses of a hundred updates; distance of the last weights from the first."""
    net = Net(dtype)
    opt, losses = make(net.parameters()), []
    first = torch.cat([p.detach().double().flatten() for p in net.parameters()])
    for k in range(UPDATES):
        t, f = places(k)
        s = torch.tensor(DOMAIN_SIZES, dtype=torch.float64)[t]
        solver, constant = Solver(s), (s / SCALE).to(dtype)[:, None, None].expand(BATCH, 1, POINTS)
        u, loss = data[t, f], 0.0
        for i in range(MODES[mode]):
            u = u.detach() if mode == "nog" else u
            u = solver(u) + DT * net(torch.cat([u.to(dtype)[:, None], constant], 1))[:, 0].double()
            loss = loss + F.mse_loss(u, data[t, f + i + 1]) / MODES[mode]
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    last = torch.cat([p.detach().double().flatten() for p in net.parameters()])
    return losses, (last - first).norm().item()


def numbers(values, indent):
    text = [f"{v:.17g}" for v in values]
    return ",\n".join(" " * indent + ", ".join(text[i:i + 4]) for i in range(0, len(text), 4))


def write(out, start, runs):
    out.write(f"/* Written by ks_torch_training.py with torch {torch.__version__.split('+')[0]}. */\n"
              "#pragma once\n\n// clang-format off\n"
              f"enum {{ TORCH_BATCH = {BATCH}, TORCH_STEPS = {STEPS}, TORCH_UPDATES = {UPDATES}, TORCH_FRAMES = {FRAMES},\n"
              f"       TORCH_POINTS = {POINTS}, TORCH_SIZES = {len(DOMAIN_SIZES)}, TORCH_SEED = {BATCH_SEED} }};\n\n"
              f"static const double torch_size[TORCH_SIZES] = {{{', '.join(map(str, DOMAIN_SIZES))}}};\n"
              "static const double torch_start[TORCH_SIZES][TORCH_POINTS] = {\n")
    out.write(",\n".join(f"  {{\n{numbers(u, 4)}}}" for u in start))
    out.write("};\n\ntypedef struct {\n  const char *mode, *optim, *options;\n"
              "  double moved[2];               /* distance from the first weights; single, double */\n"
              "  double loss[2][TORCH_UPDATES]; /* single, double */\n} TorchRun;\n\n"
              "static const TorchRun torch_run[] = {\n")
    for mode, name, options, (single, twice) in runs:
        out.write(f'  {{"{mode}", "{name}", "{options}",\n   {{{single[1]:.17g}, {twice[1]:.17g}}},\n'
                  f"   {{{{\n{numbers(single[0], 6)}}},\n    {{\n{numbers(twice[0], 6)}}}}}}},\n")
    out.write("};\n// clang-format on\n")


def main():
    torch.set_num_threads(1)
    start, runs = starts(), []
    data = trajectories(start)
    for mode in MODES:
        for name, (make, options) in OPTIMS.items():
            run = [train(data, mode, make, dtype) for dtype in (torch.float32, torch.float64)]
            runs.append((mode, name, options, run))
            single, twice = (np.array(r[0]) for r in run)
            print(f"{mode} {name:5s} loss {twice[0]:.6g} -> {twice[-1]:.6g}  moved {run[1][1]:.4g}  single from double: "
                  f"first {abs(single[0] / twice[0] - 1):.1e}, most {np.abs(single / twice - 1).max():.1e}, "
                  f"moved {abs(run[0][1] / run[1][1] - 1):.1e}", flush=True)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ks_torch_training.h"), "w") as out:
        write(out, start, runs)


if __name__ == "__main__":
    main()
