#!/usr/bin/python3
"""One update of KS correction training in PyTorch, timed: the peer of `unroll bench` (jobs/bench_ks.sh runs both in turn).

    ks_torch_bench.py [THREADS=1] [ROUNDS=5]

Batch 16, 48 points, domain size 8, dt 0.5.  A step is u <- S(u) + dt N(u, 8/8), S two sub-steps of exponential Euler;
N a residual network of c channels and d blocks, circular kernel 3, LeakyReLU(0.01).  Loss: mean over the m steps of the
MSE.  An update: forward, backward, Adam (1e-4).  one: m = 1; nog, wig: m = 3, the state detached between steps in nog.
A round times every item in turn for a tenth of a second; printed are median, least and largest over the rounds, in ms.
"""
import os
import statistics
import sys
import time

# Before the import: what a shell may have set for MPI programs would choose threads or kernels for PyTorch too.
for name in [n for n in os.environ if n.startswith(("OMP_", "MKL_", "OPENBLAS_", "DNNL_", "ONEDNN_"))]:
    del os.environ[name]

import torch
from torch import nn
from torch.nn import functional as F

BATCH, POINTS, SIZE, DT, STEPS = 16, 48, 8.0, 0.5, 3


class ExponentialEuler(nn.Module):
    """u_k <- exp(dt L) u_k + dt phi_1(dt L) (-i k / 2) (u^2)_k with L = k^2 - k^4, k in units of 1 / SIZE."""

    def __init__(self):
        super().__init__()
        k = torch.arange(POINTS // 2 + 1, dtype=torch.float64) / SIZE
        symbol = k**2 - k**4
        phi = torch.where(symbol == 0, torch.tensor(DT, dtype=torch.float64), torch.expm1(DT * symbol) / symbol)
        self.linear, self.nonlinear = torch.exp(DT * symbol).float(), (-0.5j * k * phi).to(torch.complex64)

    def forward(self, u):
        return torch.fft.irfft(self.linear * torch.fft.rfft(u) + self.nonlinear * torch.fft.rfft(u * u), n=POINTS)


class ResNet(nn.Module):
    def __init__(self, channels, depth):
        super().__init__()

        def conv(inputs, outputs):
            return nn.Conv1d(inputs, outputs, 3, padding=1, padding_mode="circular")

        self.first, self.last = conv(2, channels), conv(channels, 1)
        self.blocks = nn.ModuleList(nn.ModuleList(conv(channels, channels) for _ in range(2)) for _ in range(depth))

    def forward(self, x):
        x = self.first(x)
        for one, two in self.blocks:
            x = F.leaky_relu(two(F.leaky_relu(one(x), 0.01)) + x, 0.01)
        return self.last(x)


class Case:
    def __init__(self, channels, depth):
        self.solver, self.net = ExponentialEuler(), ResNet(channels, depth)
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=1e-4)
        self.constant = torch.full((BATCH, 1, POINTS), SIZE / 8)
        x = 2 * torch.pi * torch.arange(POINTS) / POINTS
        phase = torch.arange(BATCH)[:, None]
        self.frames = [(torch.cos(x + phase) + 0.3 * torch.sin(2 * x - phase))[:, None].contiguous()]
        with torch.no_grad():
            for _ in range(STEPS):
                self.frames.append(self.solver(self.solver(self.frames[-1])))

    def step(self, u):
        return self.solver(self.solver(u)) + DT * self.net(torch.cat([u, self.constant], 1))

    def update(self, steps, detaches):
        self.optimiser.zero_grad(set_to_none=True)
        u, loss = self.frames[0], 0.0
        for target in self.frames[1:steps + 1]:
            u = self.step(u.detach() if detaches else u)
            loss = loss + F.mse_loss(u, target) / steps
        loss.backward()
        self.optimiser.step()


def milliseconds(function, least=0.1):
    start, calls, seconds = time.perf_counter(), 0, 0.0
    while seconds < least:
        function()
        calls += 1
        seconds = time.perf_counter() - start
    return 1e3 * seconds / calls


def main():
    threads, rounds = (int(word) for word in (sys.argv[1:] + ["1", "5"][len(sys.argv) - 1:])[:2])
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    items = {}
    for size in ((26, 8), (52, 12)):
        case = Case(*size)
        for mode, steps in (("one", 1), ("nog", STEPS), ("wig", STEPS)):
            items[f"({size[0]},{size[1]}) {mode}"] = lambda c=case, m=steps, d=mode == "nog": c.update(m, d)
    for function in items.values():
        function()
        function()
    times = {name: [] for name in items}
    for _ in range(rounds):
        for name, function in items.items():
            times[name].append(milliseconds(function))
    for name, t in times.items():
        print(f"torch {torch.__version__} threads {threads} {name:14s} median {statistics.median(t):8.3f} ms"
              f"  min {min(t):8.3f}  max {max(t):8.3f}")


if __name__ == "__main__":
    main()
