"""tinygrad on the software GPU: every result is compared with numpy's, then a small network is trained.

DEV=CUDA compiles by NVRTC, DEV=CUDA:PTX by tinygrad's own renderer."""

import os
import sys

import numpy as np
from tinygrad import Context, Tensor, TinyJit, dtypes, nn

rng = np.random.default_rng(7)
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def close(got, want, rtol=1e-4, atol=1e-5):
    np.testing.assert_allclose(got.numpy() if isinstance(got, Tensor) else got, want, rtol=rtol, atol=atol)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@check
def elementwise():
    a, b = normal(1000, 37), normal(1000, 37)
    x, y = Tensor(a), Tensor(b)
    close(x + y * 2 - x / (y.abs() + 1), a + b * 2 - a / (np.abs(b) + 1))
    close((x * y).relu(), np.maximum(a * b, 0))
    close((x < y).where(x, y), np.minimum(a, b))


@check
def transcendental():
    a = normal(5000)
    x = Tensor(a)
    close(x.exp(), np.exp(a))
    close((x.abs() + 0.1).log(), np.log(np.abs(a) + 0.1))
    close((x * 30).sin(), np.sin(a * 30), atol=1e-4)
    close(x.abs().sqrt(), np.sqrt(np.abs(a)))
    close(x.sigmoid(), 1 / (1 + np.exp(-a)))
    close(x.tanh(), np.tanh(a))


@check
def integers():
    a = rng.integers(-1000, 1000, 4096)
    b = rng.integers(1, 50, 4096)
    for name in ("int8", "int16", "int32", "int64"):
        small_a, small_b = (a % 100).astype(name), (b % 7 + 1).astype(name)
        x, y = Tensor(small_a), Tensor(small_b)
        np.testing.assert_array_equal((x + y).numpy(), small_a + small_b)
        np.testing.assert_array_equal((x * y).numpy(), small_a * small_b)
        np.testing.assert_array_equal((x // y).numpy(), small_a // small_b)
        np.testing.assert_array_equal((x ^ y).numpy(), small_a ^ small_b)
    x = Tensor(a.astype(np.uint32))
    np.testing.assert_array_equal((x << 3).numpy(), a.astype(np.uint32) << 3)
    np.testing.assert_array_equal((x >> 2).numpy(), a.astype(np.uint32) >> 2)


@check
def double_precision():
    a, b = rng.standard_normal((64, 64)), rng.standard_normal((64, 64))
    close(Tensor(a) @ Tensor(b), a @ b, rtol=1e-12, atol=1e-12)
    close(Tensor(a) * Tensor(b) - Tensor(a), a * b - a, rtol=1e-14, atol=1e-14)
    if "PTX" not in os.environ["DEV"]:  # its renderer writes rcp.approx.f64, which no assembler takes
        close(Tensor(a) / Tensor(b), a / b, rtol=1e-14)


@check
def casts():
    a = normal(2048) * 100
    for name, dtype in (("float16", dtypes.half), ("int32", dtypes.int), ("float64", dtypes.double), ("int16", dtypes.short)):
        np.testing.assert_array_equal(Tensor(a).cast(dtype).numpy(), a.astype(name))
    bits = a.view(np.uint32).astype(np.uint64)
    nearest = (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype(np.uint32).view(np.float32)
    stored = Tensor(a).cast(dtypes.bfloat16).contiguous().realize()
    np.testing.assert_array_equal(stored.cast(dtypes.float).numpy(), nearest)


@check
def reductions():
    a = normal(300, 1000)
    x = Tensor(a)
    close(x.sum(), a.sum(dtype=np.float64), rtol=1e-3, atol=1e-2)
    close(x.sum(axis=0), a.sum(axis=0), rtol=1e-3, atol=1e-4)
    close(x.sum(axis=1), a.sum(axis=1), rtol=1e-3, atol=1e-4)
    close(x.max(axis=1), a.max(axis=1))
    close(x.mean(), a.mean(), atol=1e-4)
    close(x.std(axis=1), a.std(axis=1, ddof=1), rtol=1e-3)
    np.testing.assert_array_equal(x.argmax(axis=1).numpy(), a.argmax(axis=1))
    close(x.cumsum(axis=1), a.cumsum(axis=1), rtol=1e-3, atol=1e-3)


@check
def matmul_f32():
    for m, k, n in ((64, 64, 64), (128, 256, 96), (33, 65, 17), (512, 512, 512)):
        a, b = normal(m, k), normal(k, n)
        close(Tensor(a) @ Tensor(b), a @ b, rtol=1e-3, atol=1e-3)


@check
def matmul_f16():
    for size in (64, 256):
        a, b = normal(size, size).astype(np.float16), normal(size, size).astype(np.float16)
        want = a.astype(np.float32) @ b.astype(np.float32)
        close(Tensor(a).matmul(Tensor(b), dtype=dtypes.float), want, rtol=1e-2, atol=1e-2)
        close((Tensor(a) @ Tensor(b)).numpy().astype(np.float32), want, rtol=2e-2, atol=0.2)


@check
def convolution():
    a, w = normal(2, 3, 16, 16), normal(5, 3, 3, 3)
    want = np.zeros((2, 5, 14, 14), np.float32)
    for i in range(3):
        for j in range(3):
            want += np.einsum("nchw,oc->nohw", a[:, :, i : i + 14, j : j + 14], w[:, :, i, j])
    close(Tensor(a).conv2d(Tensor(w)), want, rtol=1e-3, atol=1e-4)
    close(Tensor(a).max_pool2d((2, 2)), a.reshape(2, 3, 8, 2, 8, 2).max(axis=(3, 5)))


@check
def softmax_and_attention():
    a = normal(64, 257)
    e = np.exp(a - a.max(axis=1, keepdims=True))
    close(Tensor(a).softmax(axis=1), e / e.sum(axis=1, keepdims=True))
    q, k, v = normal(2, 4, 32, 16), normal(2, 4, 32, 16), normal(2, 4, 32, 16)
    scores = q @ k.transpose(0, 1, 3, 2) / 4
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    want = scores / scores.sum(axis=-1, keepdims=True) @ v
    close(Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v)), want, rtol=1e-3, atol=1e-4)


@check
def indexing():
    a = normal(100, 50)
    rows = rng.integers(0, 100, 30)
    close(Tensor(a)[Tensor(rows.astype(np.int32))], a[rows])
    close(Tensor(a)[5:60:3, ::-1], a[5:60:3, ::-1])
    close(Tensor(a).pad(((1, 2), (3, 4))), np.pad(a, ((1, 2), (3, 4))))
    close(Tensor(a).transpose().contiguous(), a.T)


@check
def sorting():
    a = normal(512)
    close(Tensor(a).sort()[0], np.sort(a))


@check
def random_numbers():
    Tensor.manual_seed(3)
    uniform = Tensor.rand(20000).numpy()
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.01
    gauss = Tensor.randn(20000).numpy()
    assert abs(gauss.mean()) < 0.03 and abs(gauss.std() - 1) < 0.03


@check
def jit_and_graph():
    """From its second call on the jitted function is replayed, from the third as a CUDA graph."""
    weights = normal(64, 64)
    w = Tensor(weights)

    @TinyJit
    def step(x):
        return ((x @ w).relu() + x).sum(axis=1).realize()

    for _ in range(6):
        a = normal(32, 64)
        close(step(Tensor(a).realize()), (np.maximum(a @ weights, 0) + a).sum(axis=1), rtol=1e-3, atol=1e-3)


@check
def training():
    Tensor.manual_seed(1)
    x = normal(256, 8)
    y = (np.sin(x[:, :1]) + x[:, 1:2] * x[:, 2:3]).astype(np.float32)
    first, second = nn.Linear(8, 64), nn.Linear(64, 1)
    optimiser = nn.optim.Adam([first.weight, first.bias, second.weight, second.bias], lr=0.01)
    inputs, targets = Tensor(x), Tensor(y)
    losses = []
    with Context(TRAINING=1):
        for _ in range(60):
            optimiser.zero_grad()
            loss = (second(first(inputs).tanh()) - targets).square().mean().backward()
            optimiser.step()
            losses.append(loss.item())
    assert np.isfinite(losses).all() and losses[-1] < 0.3 * losses[0], losses[::10]


def main():
    only = sys.argv[1:]
    for function in CHECKS:
        if not only or function.__name__ in only:
            print(function.__name__, flush=True)
            function()
    print(f"{len(CHECKS)} checks")


main()
