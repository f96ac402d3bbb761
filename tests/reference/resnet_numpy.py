#!/usr/bin/env python3
"""Outputs of both forms of the residual network, by numpy alone.

Writes resnet_numpy.h beside itself.  Weights, states and parameters come from the formulas below, which test_net.c
repeats.  numpy.roll is the periodic convolution: nothing here is shared with the program.
"""
import itertools
import os

import numpy as np


def weights(count):
    j = np.arange(count)
    return 0.3 * np.sin(1.7 * j + 0.3) + 0.1 * np.cos(0.37 * j * j)


def state(shape):
    j = np.arange(np.prod(shape))
    return (np.sin(0.9 * j + 0.2) + 0.3 * np.cos(2.3 * j)).reshape(shape)


class Theta:
    """The flat weights, read view by view."""

    def __init__(self):
        self.at = 0
        self.values = weights(1_000_000)

    def take(self, *shape):
        count = int(np.prod(shape))
        self.at += count
        return self.values[self.at - count:self.at].reshape(shape)


def convolve(x, theta, kernel, out):
    """Correlation y[p] = sum_t w[t] x[p + t - (kernel - 1) // 2]; x is [sample][cells..][channel]."""
    dim = x.ndim - 2
    w = theta.take(*([kernel] * dim), x.shape[-1], out)
    b = theta.take(out)
    y = np.zeros(x.shape[:-1] + (out,)) + b
    for t in itertools.product(range(kernel), repeat=dim):
        shift = [(kernel - 1) // 2 - k for k in t]
        y += np.roll(x, shift, axis=tuple(range(1, dim + 1))) @ w[t]
    return y


def leaky(z):
    return np.where(z > 0, z, 0.01 * z)


def inputs(u, constants, mean, std):
    c = np.broadcast_to(constants.reshape(u.shape[0], *([1] * (u.ndim - 2)), -1), u.shape[:-1] + (constants.shape[1],))
    return np.concatenate([(u - mean) / std, c], axis=-1)


def plain(x, features, depth, kernel, out):
    theta = Theta()
    h = convolve(x, theta, kernel, features)
    if depth == 0:
        h = leaky(h)
    for _ in range(depth):
        a = leaky(convolve(h, theta, kernel, features))
        h = leaky(convolve(a, theta, kernel, features) + h)
    return convolve(h, theta, kernel, out)


def projected(x, features, kernel, out):
    theta = Theta()
    h = x
    for f in features:
        a = leaky(convolve(h, theta, kernel, f))
        z = convolve(a, theta, kernel, f)
        h = leaky(z + convolve(h, theta, 1, f))
    return convolve(h, theta, kernel, out)


def main():
    one = plain(inputs(state((3, 11, 1)), np.array([[6.4 / 8], [8.8 / 8], [11.2 / 8]]), 0.25, 1.5), 5, 2, 3, 1)
    even = plain(inputs(state((3, 11, 1)), np.array([[6.4 / 8], [8.8 / 8], [11.2 / 8]]), 0.25, 1.5), 5, 2, 4, 1)
    shallow = plain(inputs(state((3, 11, 1)), np.array([[6.4 / 8], [8.8 / 8], [11.2 / 8]]), 0.25, 1.5), 5, 0, 3, 1)
    two = projected(inputs(state((3, 5, 4, 2)), np.array([[6.4, 0.5], [8.8, 0.75], [11.2, 1.0]]) / [8, 2],
                           np.array([0.25, -0.5]), np.array([1.5, 0.75])), [4, 6, 4], 3, 2)
    three = plain(inputs(state((3, 3, 4, 2, 1)), np.zeros((3, 0)), 0.25, 1.5), 3, 1, 3, 1)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'resnet_numpy.h')
    with open(path, 'w', encoding='ascii') as file:
        file.write('/* Made by resnet_numpy.py: outputs [sample][cell][component] before the output scale. */\n')
        file.write('#pragma once\n')
        for name, y in (('one', one), ('even', even), ('shallow', shallow), ('two', two), ('three', three)):
            file.write(f'\nstatic const double numpy_{name}[] = {{\n')
            values = [f'{v:.17g}' for v in y.ravel()]
            for k in range(0, len(values), 4):
                file.write('  ' + ', '.join(values[k:k + 4]) + ',\n')
            file.write('};\n')


if __name__ == '__main__':
    main()
