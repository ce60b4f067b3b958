"""numba-cuda on the software GPU: shared memory, atomics, f64 math, reductions, each compared with numpy."""

import math

import numpy as np
from numba import cuda, float32, float64

rng = np.random.default_rng(11)
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


@cuda.jit
def saxpy_kernel(out, a, x, y):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@check
def saxpy():
    x, y = rng.random(100_003, np.float32), rng.random(100_003, np.float32)
    out = cuda.device_array_like(x)
    saxpy_kernel[(x.size + 255) // 256, 256](out, np.float32(2.5), cuda.to_device(x), cuda.to_device(y))
    np.testing.assert_allclose(out.copy_to_host(), np.float32(2.5) * x + y, rtol=1e-6)


@cuda.jit
def block_sums_kernel(values, sums):
    scratch = cuda.shared.array(256, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    scratch[t] = values[i] if i < values.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            scratch[t] += scratch[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = scratch[0]


@check
def shared_memory_reduction():
    values = rng.random(50_000)
    blocks = (values.size + 255) // 256
    sums = cuda.device_array(blocks, np.float64)
    block_sums_kernel[blocks, 256](values, sums)
    np.testing.assert_allclose(sums.copy_to_host().sum(), values.sum(), rtol=1e-12)


@cuda.jit
def matmul_kernel(c, a, b):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    col, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range((a.shape[1] + 15) // 16):
        k = tile * 16 + tx
        left[ty, tx] = a[row, k] if row < a.shape[0] and k < a.shape[1] else 0
        k = tile * 16 + ty
        right[ty, tx] = b[k, col] if k < b.shape[0] and col < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if row < c.shape[0] and col < c.shape[1]:
        c[row, col] = total


@check
def tiled_matmul():
    a = rng.random((70, 45), np.float32)
    b = rng.random((45, 90), np.float32)
    c = cuda.device_array((70, 90), np.float32)
    matmul_kernel[(6, 5), (16, 16)](c, a, b)
    np.testing.assert_allclose(c.copy_to_host(), a @ b, rtol=1e-4)


@cuda.jit
def histogram_kernel(bins, values):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


@cuda.jit
def extremes_kernel(lowest, highest, total, values):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.min(lowest, 0, values[i])
        cuda.atomic.max(highest, 0, values[i])
        cuda.atomic.add(total, 0, values[i])


@check
def atomics():
    values = rng.integers(0, 37, 40_000).astype(np.int32)
    bins = np.zeros(37, np.int32)
    histogram_kernel[(values.size + 127) // 128, 128](bins, values)
    np.testing.assert_array_equal(bins, np.bincount(values, minlength=37))
    numbers = rng.standard_normal(10_000)
    lowest, highest, total = np.array([np.inf]), np.array([-np.inf]), np.zeros(1)
    extremes_kernel[(numbers.size + 127) // 128, 128](lowest, highest, total, numbers)
    assert lowest[0] == numbers.min() and highest[0] == numbers.max()
    np.testing.assert_allclose(total[0], numbers.sum(), rtol=1e-9, atol=1e-9)


@cuda.jit
def f64_math_kernel(out, x):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        out[i, 0] = math.sin(v)
        out[i, 1] = math.cos(v * 1e6)
        out[i, 2] = math.exp(v)
        out[i, 3] = math.log(abs(v) + 1)
        out[i, 4] = math.sqrt(abs(v))
        out[i, 5] = math.pow(abs(v), 1.7)
        out[i, 6] = math.erf(v)
        out[i, 7] = math.atan2(v, 2.0)
        out[i, 8] = math.lgamma(abs(v) + 0.5)
        out[i, 9] = math.fmod(v, 0.3)


@check
def f64_math():
    x = rng.standard_normal(3000) * 4
    out = cuda.device_array((x.size, 10), np.float64)
    f64_math_kernel[(x.size + 127) // 128, 128](out, x)
    want = np.stack(
        [
            np.sin(x),
            np.cos(x * 1e6),
            np.exp(x),
            np.log(np.abs(x) + 1),
            np.sqrt(np.abs(x)),
            np.abs(x) ** 1.7,
            [math.erf(v) for v in x],
            np.arctan2(x, 2.0),
            [math.lgamma(abs(v) + 0.5) for v in x],
            np.fmod(x, 0.3),
        ],
        axis=1,
    )
    np.testing.assert_allclose(out.copy_to_host(), want, rtol=1e-11, atol=1e-12)


@cuda.reduce
def add_reduce(a, b):
    return a + b


@cuda.reduce
def max_reduce(a, b):
    return a if a > b else b


@check
def reduce():
    values = rng.integers(0, 1000, 12_345).astype(np.int64)
    assert add_reduce(values) == values.sum()
    assert max_reduce(values.astype(np.float64)) == values.max()


@cuda.jit
def warp_kernel(out, x):
    i = cuda.grid(1)
    value = x[i]
    for distance in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, distance)
    if i % 32 == 0:
        out[i // 32] = value
    if cuda.ballot_sync(0xFFFFFFFF, x[i] > 50) == 0:
        out[i // 32] = -1


@check
def warp_intrinsics():
    x = rng.integers(0, 100, 1024).astype(np.int32)
    out = np.zeros(32, np.int32)
    warp_kernel[8, 128](out, x)
    np.testing.assert_array_equal(out, x.reshape(32, 32).sum(axis=1))


@cuda.jit(device=True)
def collatz_steps(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@cuda.jit
def collatz_kernel(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = collatz_steps(i + 1)


@check
def divergent_loops():
    out = np.zeros(2000, np.int32)
    collatz_kernel[(out.size + 63) // 64, 64](out)
    assert out[26] == 111 and out[870] == 178 and out.max() == 181


@check
def streams_and_events():
    stream = cuda.stream()
    start, end = cuda.event(), cuda.event()
    x = rng.random(10_000, np.float32)
    start.record(stream)
    device_x = cuda.to_device(x, stream=stream)
    out = cuda.device_array_like(device_x, stream=stream)
    saxpy_kernel[40, 256, stream](out, np.float32(3), device_x, device_x)
    end.record(stream)
    host = out.copy_to_host(stream=stream)
    stream.synchronize()
    np.testing.assert_allclose(host, 4 * x, rtol=1e-6)
    assert cuda.event_elapsed_time(start, end) >= 0


def main():
    for function in CHECKS:
        print(function.__name__, flush=True)
        function()
    print(f"{len(CHECKS)} checks")


main()
