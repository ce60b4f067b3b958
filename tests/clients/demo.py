"""The demonstration: tinygrad learns to tell two spirals apart, on whatever CUDA device it finds. A line for each step, until somebody
ends it: how many lines a second it prints is how much of the device it gets."""

import numpy as np
from tinygrad import Context, Tensor, TinyJit, nn

POINTS = 64


def spirals():
    rng = np.random.default_rng(0)
    turn = np.sqrt(rng.random(POINTS)) * 3 * np.pi
    radius = turn / (3 * np.pi)
    arm = np.arange(POINTS) % 2
    angle = turn + np.pi * arm
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1) + rng.normal(0, 0.01, (POINTS, 2))
    return points.astype(np.float32), arm.astype(np.float32)


def features(points):
    """Waves of several lengths: a plain network needs them to bend its border into a spiral."""
    waves = [f(points * k) for k in (3, 6) for f in (np.sin, np.cos)]
    return np.concatenate([points, *waves], axis=1).astype(np.float32)


class Network:
    def __init__(self):
        self.layers = [nn.Linear(10, 32), nn.Linear(32, 1)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = layer(x).tanh()
        return self.layers[-1](x).squeeze(1)


def main():
    Tensor.manual_seed(2)
    points, labels = spirals()
    network, x, y = Network(), Tensor(features(points)), Tensor(labels)
    optimiser = nn.optim.SGD(nn.state.get_parameters(network), lr=0.3)

    @TinyJit
    def step():
        optimiser.zero_grad()
        loss = network(x).binary_crossentropy_logits(y).backward()
        optimiser.step()
        return loss.realize()

    with Context(TRAINING=1):
        for _ in range(3):  # The first are compiled, and not worth counting.
            step().item()
        while True:
            print(f"loss {step().item():.4f}", flush=True)


main()
