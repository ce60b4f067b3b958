"""The demonstration: tinygrad learns to tell two spirals apart, on whatever CUDA device it finds.

Usage: demo.py PICTURE.png. Draws what the network believes of each point of the plane, in the terminal and as a picture."""

import ctypes
import struct
import sys
import time
import zlib

import numpy as np
from tinygrad import Context, Tensor, TinyJit, nn

STEPS, POINTS = 200, 192


def device_name():
    driver = ctypes.CDLL("libcuda.so.1")
    driver.cuInit(0)
    name = ctypes.create_string_buffer(100)
    driver.cuDeviceGetName(name, 100, 0)
    return name.value.decode()


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
        self.layers = [nn.Linear(10, 64), nn.Linear(64, 64), nn.Linear(64, 1)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = layer(x).tanh()
        return self.layers[-1](x).squeeze(1)


def train(network, x, y):
    optimiser = nn.optim.Adam(nn.state.get_parameters(network), lr=0.004)

    @TinyJit
    def step():
        optimiser.zero_grad()
        loss = network(x).binary_crossentropy_logits(y).backward()
        optimiser.step()
        return loss.realize()

    with Context(TRAINING=1):
        for i in range(STEPS + 1):
            loss = step().item()
            if i % 20 == 0:
                print(f"  step {i:4d}   loss {loss:.4f}   {'█' * int(loss * 60)}", flush=True)
    return loss


def belief(network, size):
    axis = (np.arange(size) + 0.5) / size * 2.2 - 1.1
    grid = np.stack(np.meshgrid(axis, -axis), axis=-1).reshape(-1, 2)
    return network(Tensor(features(grid))).sigmoid().numpy().reshape(size, size)


def draw_terminal(picture, points, labels):
    rows, cols = 24, 48
    canvas = [[" .:-=+*#%@"[int(picture[(2 * r + 1) * 96 // 48][c * 2] * 9.99)] for c in range(cols)] for r in range(rows)]
    for (x, y), label in zip(points, labels):
        row, col = int((1.1 - y) / 2.2 * rows), int((x + 1.1) / 2.2 * cols)
        canvas[row][col] = "\033[91m●\033[0m" if label else "\033[94m○\033[0m"
    print("\n".join("  " + "".join(line) for line in canvas))


def write_png(name, picture, points, labels):
    size = picture.shape[0]
    low, high = np.array([40, 80, 200]), np.array([220, 70, 50])
    pixels = (low + (high - low) * picture[..., None] * 1.0).astype(np.uint8)
    for (x, y), label in zip(points, labels):
        row, col = int((1.1 - y) / 2.2 * size), int((x + 1.1) / 2.2 * size)
        pixels[row - 2 : row + 3, col - 2 : col + 3] = 255 if label else 0
    raw = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    with open(name, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def main():
    Tensor.manual_seed(2)
    print(f"tinygrad on: {device_name()}\n")
    points, labels = spirals()
    network = Network()
    started = time.monotonic()
    loss = train(network, Tensor(features(points)), Tensor(labels))
    right = ((network(Tensor(features(points))).numpy() > 0) == (labels > 0.5)).mean()
    print(f"\n  {STEPS} training steps in {time.monotonic() - started:.1f} s, {right:.0%} of {POINTS} points told apart\n")
    draw_terminal(belief(network, 96), points, labels)
    write_png(sys.argv[1], belief(network, 384), points, labels)
    print(f"\nThe same as a picture: {sys.argv[1]}")
    if loss > 0.1:
        sys.exit("the network did not learn: the loss should have fallen below 0.1")


main()
