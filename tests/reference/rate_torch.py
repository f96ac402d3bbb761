#!/usr/bin/env python3
"""Sequences of PyTorch's learning-rate schedulers, for test_rate.c; run by hand with a python3 that has torch.

Writes rate_torch.h beside itself.
"""
import math
import os

import torch

BASE, FACTOR, INTERVAL, PATIENCE, LEAST, UPDATES = 1e-3, 0.7, 7, 3, 1e-4, 60


def optimizer():
    return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=BASE)


def sequence(make, values=None):
    """Rates before each step of the scheduler, the first one included."""
    opt, rates = optimizer(), []
    scheduler = make(opt)
    for k in range(UPDATES):
        rates.append(opt.param_groups[0]["lr"])
        opt.step()
        scheduler.step(*([] if values is None else [values[k]]))
    return rates


def errors():
    """Falls, stalls, improves by less and by more than a part of 1e-4, rises, is no number."""
    e = [math.exp(-0.2 * k) * (1 + 0.3 * math.sin(2.1 * k)) for k in range(12)]
    best = min(e)
    e += [best * (1 - 0.9e-4)] * 4 + [best] * 3 + [best * (1 - 1.1e-4)] + [best] * 5
    e += [math.nan, 2.0, math.nan, 1.5, math.inf, 1.2]
    while len(e) < UPDATES:
        e.append(0.05 * (1 + 0.5 * math.cos(1.3 * len(e))) * 0.99 ** len(e))
    return e


def row(name, values):
    text = ", ".join("NAN" if math.isnan(v) else "INFINITY" if math.isinf(v) else repr(v) for v in values)
    return f"static const double {name}[] = {{{text}}};\n"


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rate_torch.h"), "w") as out:
        out.write(f"/* Written by rate_torch.py with torch {torch.__version__.split('+')[0]}. */\n"
                  "#pragma once\n\n#include <math.h>\n\n// clang-format off\n"
                  f"enum {{ TORCH_RATES = {UPDATES} }};\n"
                  f'#define TORCH_RATE_OPTIONS "-optim_lr {BASE} -optim_lr_factor {FACTOR} -optim_lr_interval {INTERVAL} " \\\n'
                  f'                           "-optim_lr_patience {PATIENCE} -optim_lr_min {LEAST} "\n')
        out.write(row("torch_errors", errors()))
        out.write(row("torch_plateau", sequence(lambda o: torch.optim.lr_scheduler.ReduceLROnPlateau(
            o, factor=FACTOR, patience=PATIENCE, threshold=1e-4, min_lr=LEAST), errors())))
        out.write(row("torch_exponential", [max(r, LEAST) for r in sequence(
            lambda o: torch.optim.lr_scheduler.StepLR(o, INTERVAL, FACTOR))]))
        out.write(row("torch_cosine", sequence(lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(
            o, UPDATES, LEAST))))
        out.write("// clang-format on\n")


main()
