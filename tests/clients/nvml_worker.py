"""A process that holds a known amount of device memory and computes until its input ends.

usage: nvml_worker.py MIB. It says who its device is, then `ready`, then works.
"""

import ctypes
import sys
import threading

# Each thread counts to the number it is given, and leaves its sum where it can be checked.
KERNEL = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    mov.u32 %r6, 0;
    mov.u32 %r7, 0;
again:
    add.u32 %r7, %r7, %r6;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, %r1;
    @%p1 bra again;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r7;
    ret;
}
"""
BLOCKS, THREADS, TURNS = 8, 128, 20_000

cuda = ctypes.CDLL("libcuda.so.1")


def check(name, *args):
    code = getattr(cuda, name)(*args)
    assert code == 0, f"{name} answered {code}"


def main(mib):
    context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    memory, text, uuid = ctypes.c_uint64(), ctypes.create_string_buffer(100), (ctypes.c_ubyte * 16)()
    check("cuInit", 0)
    check("cuDeviceGetName", text, 100, 0)
    print("name", text.value.decode())
    check("cuDeviceGetPCIBusId", text, 100, 0)
    print("pci", text.value.decode())
    check("cuDeviceGetUuid_v2", uuid, 0)
    print("uuid", bytes(uuid).hex())
    check("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    check("cuCtxSetCurrent", context)
    check("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(mib << 20))
    check("cuModuleLoadData", ctypes.byref(module), KERNEL)
    check("cuModuleGetFunction", ctypes.byref(function), module, b"count")
    turns = ctypes.c_uint32(TURNS)
    args = (ctypes.c_void_p * 2)(*(ctypes.addressof(arg) for arg in (memory, turns)))
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()

    def turn():
        check("cuLaunchKernel", function, BLOCKS, 1, 1, THREADS, 1, 1, 0, None, args, None)
        check("cuCtxSynchronize")

    turn()
    print("ready", flush=True)
    while not ended.is_set():
        turn()
    sums = (ctypes.c_uint32 * (BLOCKS * THREADS))()
    check("cuMemcpyDtoH_v2", sums, memory, ctypes.c_size_t(ctypes.sizeof(sums)))
    assert set(sums) == {TURNS * (TURNS - 1) // 2 % 2**32}
    print("done")


main(int(sys.argv[1]))
