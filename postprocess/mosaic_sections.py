"""The experiments of Mosaic as functions of their sizes: each returns what was measured, as numbers for JSON."""
import statistics

import numpy as np

from solver import grid, rms, taylor_green


def divergence(u):
    """Rms of the spectral divergence of a field [x]..[component] on the box of side 2 pi."""
    n, dim = u.shape[0], u.ndim - 1
    k = np.fft.fftfreq(n, 1 / n)
    if n % 2 == 0:
        k[n // 2] = 0
    along = [k.reshape([-1 if b == a else 1 for b in range(dim)]) for a in range(dim)]
    total = sum(1j * along[a] * np.fft.fftn(u[..., a]) for a in range(dim))
    return rms(np.fft.ifftn(total).real)


def decayed(solver, n, steps, dt, viscosity, order):
    """Relative rms error of 2-D Taylor-Green against exp(-2 nu t), and the last state with its summary."""
    start = taylor_green(n, 2)
    summary, last, _, _ = solver.solve(solver.write("start.h5", start[None]), steps, dt, viscosity, order=order)
    exact = np.exp(-2 * viscosity * dt * steps) * start
    return rms(last - exact) / rms(exact), last, summary


def accuracy(solver, sizes=(16, 64, 128), order=2):
    """One step at nu 0.05, dt 0.01."""
    return {n: decayed(solver, n, 1, 0.01, 0.05, order)[0] for n in sizes}


def advected(solver, wind=(1.0, 0.5), n=64, steps=1, dt=0.01, viscosity=0.05, order=2):
    """The same vortex in a uniform wind, where convection acts: the error is that of the scheme in time."""
    start, (x, y) = taylor_green(n, 2) + np.array(wind), grid(n, 2)
    last = solver.solve(solver.write("start.h5", start[None]), steps, dt, viscosity, order=order)[1]
    x, y = x - wind[0] * dt * steps, y - wind[1] * dt * steps
    vortex = np.exp(-2 * viscosity * dt * steps) * np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)], -1)
    return rms(last - vortex - np.array(wind)) / rms(vortex)


def agreement(solver, viscosities=(1e-4, 1e-3, 1e-2, 0.05), n=64, steps=20, order=2):
    """dt 0.05 over viscosities for which explicit diffusion becomes unstable."""
    return {nu: decayed(solver, n, steps, 0.05, nu, order)[0] for nu in viscosities}


def laws(solver, sizes=(16, 32, 64, 128), steps=(5, 20, 50, 100), order=2):
    """nu 0.05, dt 0.01: error, divergence of the last state (by our own transform of the file, and as the program tells it), kinetic
    energy over its law 1/4 exp(-4 nu t), as relative errors."""
    rows = []
    for n in sizes:
        for m in steps:
            error, last, summary = decayed(solver, n, m, 0.01, 0.05, order)
            law = 0.25 * np.exp(-4 * 0.05 * 0.01 * m)
            rows.append({"points": n, "steps": m, "error": error, "divergence_rms_file": divergence(last),
                         "divergence_rms": summary["divergence_rms"], "energy_error": summary["energy_last"] / law - 1,
                         "energy": float(np.mean(np.sum(last**2, -1)) / 2)})
    return rows


def random_field(rng, n):
    """A smooth start of rms 1, not divergence-free, with all modes up to n/4."""
    k = np.fft.fftfreq(n, 1 / n)
    keep = (k[:, None] ** 2 + k[None] ** 2 <= (n / 4) ** 2)[..., None]
    u = np.fft.ifftn(keep * np.fft.fftn(rng.normal(size=(n, n, 2)), axes=(0, 1)), axes=(0, 1)).real
    return u / rms(u)


EPS = (5, 1, 0.1, 0.01, 1e-3, 1e-4)


def scores(slopes, ours):
    """slopes {eps: [direction]} of central differences, ours [direction]: median errors, and the cosine, by eps."""
    error, cosine = {}, {}
    for eps, fd in slopes.items():
        fd, vjp = np.array(fd), np.array(ours)
        error[eps] = float(np.median(np.abs(fd - vjp) / np.maximum(np.abs(fd), np.abs(vjp))))
        cosine[eps] = float(fd @ vjp / (np.linalg.norm(fd) * np.linalg.norm(vjp)))
    return error, cosine


def gradient(solver, n=16, steps=20, dt=0.05, viscosity=1e-3, directions=20, order=2, eps=EPS, seed=1):
    """L = sum(out^2) of a random start: the vjp against central differences along random unit directions that are not
    divergence-free, of steps eps rms(v0); and by the viscosity, of relative steps eps / 100."""
    rng = np.random.default_rng(seed)
    start = random_field(rng, n)
    direction = rng.normal(size=(directions, n, n, 2))
    direction /= np.sqrt(np.sum(direction**2, axis=(1, 2, 3), keepdims=True))
    moves = [0 * start] + [sign * e * rms(start) * d for e in eps for d in direction for sign in (1, -1)]
    path = solver.write("start.h5", np.array([start + move for move in moves]))

    def value(sample=0, nu=viscosity):
        return np.sum(solver.solve(path, steps, dt, nu, sample=sample, order=order)[1] ** 2)

    last = solver.solve(path, steps, dt, viscosity, order=order)[1]
    cotangent = solver.write("cotangent.h5", 2 * last[None])
    _, _, ours, slope = solver.solve(path, steps, dt, viscosity, cotangent, order=order)
    fd, sample = {}, 1
    for e in eps:
        fd[e] = []
        for _ in direction:
            fd[e].append((value(sample) - value(sample + 1)) / (2 * e * rms(start)))
            sample += 2
    error, cosine = scores(fd, [float(np.sum(ours * d)) for d in direction])
    by_viscosity = {}
    for e in eps:
        h = viscosity * e / 100
        difference = (value(nu=viscosity + h) - value(nu=viscosity - h)) / (2 * h)
        by_viscosity[e / 100] = float(abs(difference - slope) / max(abs(difference), abs(slope)))
    return {"steps": steps, "median_error": error, "best_median_error": min(error.values()), "cosine": cosine,
            "best_cosine": max(cosine.values()), "gradient_norm": float(np.linalg.norm(ours)), "viscosity_slope": slope,
            "viscosity_error": by_viscosity, "best_viscosity_error": min(by_viscosity.values())}


def horizon(solver, horizons=(40, 80, 160, 320, 640, 1280, 2560, 5120, 10240), n=20, viscosity=1e-3, dt=0.05, memory=20e6, order=2,
            relative=(1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)):
    """3-D Taylor-Green: norm of the gradient of sum(out^2) in bounded memory, beside the slope of central differences along the
    gradient itself, whose value is that norm where they agree; the best of several steps."""
    start, rows = taylor_green(n, 3), []
    path = solver.write("start.h5", start[None])
    for steps in horizons:
        summary, last, _, _ = solver.solve(path, steps, dt, viscosity, order=order)
        row = {"steps": steps, "finite": last is not None}
        rows.append(row)
        if last is None:
            continue
        cotangent = solver.write("cotangent.h5", 2 * last[None])
        summary, _, ours, _ = solver.solve(path, steps, dt, viscosity, cotangent, order=order, more=("-rollout_memory", memory))
        row.update(energy=summary["energy_last"], divergence=summary["divergence_rms"], seconds=summary["seconds_vjp"],
                   recompute=summary["recompute_factor"], tape_bytes=summary["tape_bytes"], norm=summary["gradient_norm"],
                   finite=ours is not None)
        if ours is None:
            continue
        slopes = {}
        for e in relative:
            h = e * rms(start) * np.sqrt(start.size)
            moved = solver.write("moved.h5", start + np.array([1, -1])[:, None, None, None, None] * h * ours / np.linalg.norm(ours))
            ends = [solver.solve(moved, steps, dt, viscosity, sample=i, order=order)[1] for i in (0, 1)]
            if ends[0] is not None and ends[1] is not None:
                slopes[e] = float((np.sum(ends[0] ** 2) - np.sum(ends[1] ** 2)) / (2 * h))
        best = min(slopes.values(), key=lambda slope: abs(slope / row["norm"] - 1), default=float("nan"))
        row.update(slopes=slopes, slope=best, error=abs(best / row["norm"] - 1))
    return rows


def cost(solver, sizes={2: (64, 128, 256), 3: (16, 32, 64)}, steps={2: 100, 3: 50}, rounds=5, orders=(2, 4)):
    """Seconds at nu 0.01, dt 0.01, of the slowest rank without files: median and least of several runs."""
    rows = []
    for dim in sizes:
        for n in sizes[dim]:
            path = solver.write("start.h5", taylor_green(n, dim)[None])
            last = solver.solve(path, steps[dim], 0.01, 0.01)[1]
            cotangent = solver.write("cotangent.h5", 2 * last[None])
            for order in orders:
                runs = [solver.solve(path, steps[dim], 0.01, 0.01, cotangent, order=order, more=("-rollout_memory", 0))[0]
                        for _ in range(rounds)]
                times = {what: [run[f"seconds_{what}"] for run in runs] for what in ("forward", "vjp")}
                rows.append({"dim": dim, "points": n, "steps": steps[dim], "order": order, "rounds": rounds,
                             "ratio": statistics.median(b / a for a, b in zip(times["forward"], times["vjp"])),
                             **{what: statistics.median(t) for what, t in times.items()},
                             **{what + "_least": min(t) for what, t in times.items()}})
    return rows
