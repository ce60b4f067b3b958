"""Writes the PTX that tinygrad emits for a 512 x 512 x 512 matmul in f32, and its launch shape.

Usage: emit_matmul.py OUT.ptx. Prints: entry, grid, block."""

import sys

from tinygrad import Tensor
from tinygrad.codegen import to_program
from tinygrad.helpers import Target
from tinygrad.renderer.ptx import PTXRenderer
from tinygrad.uop.ops import Ops

product = Tensor.empty(512, 512) @ Tensor.empty(512, 512)
(kernel,) = [u for u in product.schedule_linear().toposort() if u.op is Ops.SINK]
program = to_program(kernel, PTXRenderer(Target("CUDA", "PTX", "sm_80")))
(source,) = [u.arg for u in program.toposort() if u.op is Ops.SOURCE]
with open(sys.argv[1], "w") as out:
    out.write(source.replace("VERSION", "7.5").replace("TARGET", "sm_80"))
info = program.arg
print(info.function_name, *info.global_size, *info.local_size)
