"""The demonstration's second tenant: takes device memory in blocks of 64 MiB until the driver refuses, as a program does that sizes
itself by the card. Holds what it has until its input ends."""

import ctypes
import sys

BLOCK = 64 << 20
OUT_OF_MEMORY = 2

driver = ctypes.CDLL("libcuda.so.1")


def check(code):
    if code != 0:
        sys.exit(f"the driver answered {code}")


check(driver.cuInit(0))
context, total, free = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
check(driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
check(driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)))
blocks = 0
while (code := driver.cuMemAlloc_v2(ctypes.byref(ctypes.c_uint64()), ctypes.c_size_t(BLOCK))) == 0:
    blocks += 1
if code != OUT_OF_MEMORY:
    sys.exit(f"the driver answered {code}, not out of memory")
print(f"sees a card of {total.value >> 20} MiB; got {blocks} blocks of 64 MiB, then: out of memory", flush=True)
sys.stdin.read()
