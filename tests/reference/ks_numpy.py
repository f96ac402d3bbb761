#!/usr/bin/env python3
"""Kuramoto-Sivashinsky by exponential Runge-Kutta, in numpy alone: the numbers of ks_numpy.txt.

Independent of src/: complex transforms of the whole line, coefficients by a contour integral (Kassam & Trefethen 2005,
doi:10.1137/S1064827502410633), derivatives by Cauchy's integral instead of an adjoint.

    python3 tests/reference/ks_numpy.py > tests/reference/ks_numpy.txt
"""
import numpy as np

POINTS, DT, SUBSTEPS = 48, 0.5, 2


def phi(k, z):
    """phi_k on a circle of radius 1 round every z, averaged: no cancellation anywhere."""
    ring = np.exp(2j * np.pi * (np.arange(64) + 0.5) / 64)
    w = z[:, None] + ring
    # A point of the circle may come near 0: move to radius 2 for those z.
    near = np.abs(w).min(axis=1) < 0.5
    w[near] = z[near, None] + 2 * ring
    f = np.exp(w)
    factorial = 1.0
    for j in range(k):
        f = (f - 1 / factorial) / w
        factorial *= j + 1
    return f.mean(axis=1)


def frame(u, s, order, dt, steps):
    """`steps` steps; every operation is analytic in u and s."""
    k = np.fft.fftfreq(POINTS, 1 / POINTS)
    odd = np.where(np.arange(POINTS) == POINTS // 2, 0, k)
    z = dt * ((k / s) ** 2 - (k / s) ** 4)
    E, E2 = np.exp(z), np.exp(z / 2)
    f1, f2, f3, h1 = phi(1, z), phi(2, z), phi(3, z), phi(1, z / 2)

    def N(v):
        return -0.5j * (odd / s) * np.fft.fft(np.fft.ifft(v) ** 2)

    v = np.fft.fft(u)
    for _ in range(steps):
        n = N(v)
        if order == 1:
            v = E * v + dt * f1 * n
        elif order == 2:
            a = E * v + dt * f1 * n
            v = a + dt * f2 * (N(a) - n)
        elif order == 3:
            na = N(E2 * v + dt / 2 * h1 * n)
            nb = N(E * v + dt * f1 * (2 * na - n))
            v = E * v + dt * (n * (f1 - 3 * f2 + 4 * f3) + na * (4 * f2 - 8 * f3) + nb * (4 * f3 - f2))
        else:
            a = E2 * v + dt / 2 * h1 * n
            na = N(a)
            nb = N(E2 * v + dt / 2 * h1 * na)
            nc = N(E2 * a + dt / 2 * h1 * (2 * nb - n))
            v = E * v + dt * (n * (f1 - 3 * f2 + 4 * f3) + (na + nb) * (2 * f2 - 4 * f3) + nc * (4 * f3 - f2))
    return np.fft.ifft(v)


def derivative(f, radius=0.1, points=16):
    """f'(0) = mean of f(h) / h over a circle: truncation radius^points, rounding some 1e-15 / radius."""
    ring = radius * np.exp(2j * np.pi * np.arange(points) / points)
    return sum(f(h) / h for h in ring).real / points


def row(name, values):
    print(name, *(f"{v:.17g}" for v in values))


def main():
    x = np.arange(POINTS) / POINTS
    u = np.cos(2 * np.pi * x) + 0.3 * np.cos(4 * np.pi * x + 0.4) * (1 + 0.5 * np.sin(2 * np.pi * x))
    s = 7.44
    u = frame(u, s, 4, 0.1, 1500).real  # on the attractor
    w = np.sin(2 * np.pi * x + 0.3) + 0.2 * np.cos(10 * np.pi * x)
    v = np.cos(6 * np.pi * x + 0.9) - 0.4 * np.sin(4 * np.pi * x)
    row("domain_size", [s])
    row("u", u)
    row("w", w)
    row("v", v)
    for order in (1, 2, 3, 4):
        row(f"next_{order}", frame(u, s, order, DT, SUBSTEPS).real)
        row(f"tangent_{order}", derivative(lambda h: frame(u + h * v, s, order, DT, SUBSTEPS)))
        row(f"grad_domain_size_{order}", [np.dot(w, derivative(lambda h: frame(u, s + h, order, DT, SUBSTEPS)))])


if __name__ == "__main__":
    main()
