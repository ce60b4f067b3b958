"""taichi on the software GPU: it compiles with its own LLVM and speaks to the driver directly."""

import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, device_memory_GB=0.5, log_level=ti.ERROR)
assert ti.lang.impl.current_cfg().arch == ti.cuda, "taichi fell back to another device"
SIZE = 100_000
values = ti.field(ti.f32, shape=SIZE)
picture = ti.field(ti.i32, shape=(160, 80))
matrices = ti.Matrix.field(3, 3, ti.f64, shape=1000)


@ti.kernel
def fill():
    for i in values:
        values[i] = ti.sin(i * 0.01) + i % 7


@ti.kernel
def total() -> ti.f64:
    result = ti.f64(0.0)
    for i in values:
        result += values[i]
    return result


@ti.kernel
def escape(limit: ti.i32):
    for i, j in picture:
        c = ti.Vector([-2.2 + 3.2 * i / 160, -1.2 + 2.4 * j / 80])
        z, steps = ti.Vector([0.0, 0.0]), 0
        while steps < limit and z.norm_sqr() < 4:
            z = ti.Vector([z[0] ** 2 - z[1] ** 2, 2 * z[0] * z[1]]) + c
            steps += 1
        picture[i, j] = steps


@ti.kernel
def invert():
    for i in matrices:
        matrices[i] = matrices[i].inverse()


def main():
    fill()
    i = np.arange(SIZE)
    want = np.sin(i * 0.01, dtype=np.float64) + i % 7
    np.testing.assert_allclose(values.to_numpy(), want, rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(total(), want.sum(), rtol=1e-4)
    escape(60)
    seen = picture.to_numpy()
    assert seen[110, 40] == 60 and seen[0, 0] < 3 and 1000 < (seen == 60).sum() < 6000
    source = np.random.default_rng(5).standard_normal((1000, 3, 3)) + 3 * np.eye(3)
    matrices.from_numpy(source)
    invert()
    np.testing.assert_allclose(matrices.to_numpy(), np.linalg.inv(source), rtol=1e-6, atol=1e-6)
    print("4 checks")


main()
