#!/usr/bin/env python3
"""Power that closures take from a flow, in numpy alone: the numbers of closure_numpy.h.

Independent of src/: complex transforms of the whole box, all nine stresses, no trick with the trace.

    closure_numpy.py > closure_numpy.h
"""
import numpy as np

N, CONSTANT = 16, 0.17
CUT = (N - 1) // 3
x, y, z = np.meshgrid(*[2 * np.pi * np.arange(N) / N] * 3, indexing="ij")
k = np.meshgrid(*[np.fft.fftfreq(N, 1 / N)] * 3, indexing="ij")
kept = np.all([np.abs(a) <= CUT for a in k], axis=0)
coarse = np.all([np.abs(a) <= CUT // 2 for a in k], axis=0)


def flow(scale):
    return scale * np.array([
        np.sin(y + 0.2) + 0.5 * np.cos(2 * z + 0.3) + 0.4 * np.sin(3 * y + z) + 0.3 * np.cos(y + 2 * z + 0.7),
        0.7 * np.sin(z) + 0.4 * np.cos(2 * x + 1) + 0.5 * np.cos(x - 3 * z + 0.5) + 0.3 * np.sin(2 * x + z),
        0.6 * np.sin(x) + 0.3 * np.cos(2 * y) + 0.45 * np.sin(3 * x + y) + 0.35 * np.cos(x + 2 * y + 0.9)])


def keep(field, mask):
    return np.fft.ifftn(np.fft.fftn(field) * mask).real


def derivative(field, axis):
    return np.fft.ifftn(1j * k[axis] * np.fft.fftn(field) * kept).real


def strain(u):
    return np.array([[0.5 * (derivative(u[i], j) + derivative(u[j], i)) for j in range(3)] for i in range(3)])


def size(s):
    return np.sqrt(2 * np.sum(s * s, axis=(0, 1)))


def filtered(tensor):
    return np.array([[keep(tensor[i, j], coarse) for j in range(3)] for i in range(3)])


def coefficient(u, delta):
    s, hat = strain(u), np.array([keep(a, coarse) for a in u])
    s_hat = strain(hat)
    products = np.array([[keep(u[i] * u[j], kept) for j in range(3)] for i in range(3)])
    leonard = filtered(products) - np.array([[hat[i] * hat[j] for j in range(3)] for i in range(3)])
    leonard -= np.eye(3)[:, :, None, None, None] * np.trace(leonard) / 3
    rate = np.array([[keep((size(s) * s)[i, j], kept) for j in range(3)] for i in range(3)])
    m = delta**2 * filtered(rate) - (2 * delta) ** 2 * size(s_hat) * s_hat
    return max(0, 0.5 * np.mean(np.sum(leonard * m, axis=(0, 1))) / np.mean(np.sum(m * m, axis=(0, 1))))


def power(u, nu_t):
    """<u . (-div tau)> = -<2 nu_t S S>, the stress cut to the kept modes."""
    s = strain(u)
    return -np.mean(np.sum(np.array([[keep((2 * nu_t * s)[i, j], kept) for j in range(3)] for i in range(3)]) * s, axis=(0, 1)))


def main():
    delta = np.pi / CUT
    print("/* Made by closure_numpy.py: power of closures on two flows. */\n#pragma once\n")
    for name in ("smagorinsky", "dynamic"):
        values = []
        for scale in (1, -1.3):  # the dynamic coefficient of the first is clipped at 0, turned round it is not
            u = flow(scale)
            c = CONSTANT**2 if name == "smagorinsky" else coefficient(u, delta)
            values.append(power(u, c * delta**2 * size(strain(u))))
        print(f"static const double closure_{name}[] = {{{', '.join(f'{v:.16g}' for v in values)}}};")


if __name__ == "__main__":
    main()
