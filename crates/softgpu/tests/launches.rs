//! Launches: arguments, limits, faults, output.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod child;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::{Plain, Ptr};
use host_unsafe::*;
use std::ffi::c_void;

const CODE: &str = r"
.version 7.0
.target sm_80
.address_size 64

// Mixed widths: offsets 0, 8, 12 and 16.
.visible .entry mixed(.param .u64 to, .param .u8 a, .param .u32 b, .param .f64 c)
{
    .reg .u64 %p;
    .reg .u32 %x, %y;
    .reg .f64 %z, %w;
    ld.param.u64 %p, [to];
    ld.param.u8 %x, [a];
    ld.param.u32 %y, [b];
    ld.param.f64 %z, [c];
    add.u32 %x, %x, %y;
    cvt.rn.f64.u32 %w, %x;
    add.f64 %z, %z, %w;
    st.global.f64 [%p], %z;
    ret;
}

.visible .entry plain() { ret; }
.visible .entry bounded() .maxntid 64, 1, 1 { ret; }
.visible .entry exact() .reqntid 32, 1, 1 { ret; }

.visible .entry shared_user(.param .u64 to)
{
    .shared .align 4 .b8 fixed[1024];
    .reg .u64 %p;
    .reg .u32 %v;
    ld.param.u64 %p, [to];
    mov.u32 %v, %dynamic_smem_size;
    st.shared.u32 [fixed], %v;
    ld.shared.u32 %v, [fixed];
    st.global.u32 [%p], %v;
    ret;
}

.visible .entry count(.param .u64 to)
{
    .reg .u64 %p;
    .reg .u32 %o;
    ld.param.u64 %p, [to];
    atom.global.add.u32 %o, [%p], 1;
    ret;
}

.visible .entry stray(.param .u64 to)
{
    .reg .u64 %p;
    .reg .u32 %v;
    ld.param.u64 %p, [to];
    ld.global.u32 %v, [%p];
    st.global.u32 [%p], %v;
    ret;
}

.visible .entry trapped() { trap; }

.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[9] = { 118, 61, 37, 100, 33, 37, 115, 10, 0 };
.global .align 1 .b8 word[4] = { 97, 98, 99, 0 };

.visible .entry speak()
{
    .local .align 8 .b8 buffer[16];
    .reg .u64 %p, %f, %w;
    .reg .u32 %v;
    mov.u32 %v, 42;
    st.local.u32 [buffer], %v;
    mov.u64 %w, word;
    cvta.global.u64 %w, %w;
    st.local.u64 [buffer+8], %w;
    mov.u64 %f, format;
    cvta.global.u64 %f, %f;
    mov.u64 %p, buffer;
    cvta.local.u64 %p, %p;
    {
        .param .b64 one;
        .param .b64 two;
        .param .b32 out;
        st.param.b64 [one], %f;
        st.param.b64 [two], %p;
        call.uni (out), vprintf, (one, two);
    }
    ret;
}
";

fn go(
    function: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    params: Ptr<Ptr<c_void>>,
) -> CUresult {
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    Libcuda.cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, CUstream(0), params, Ptr::NULL)
}

fn plain(function: CUfunction, grid: [u32; 3], block: [u32; 3], shared: u32) -> CUresult {
    go(function, grid, block, shared, Ptr::NULL)
}

#[test]
fn arguments_by_list_and_by_buffer() {
    context();
    let (mixed, to) = (kernel(CODE, "mixed"), memory(8));
    let (a, b, c) = (7u8, 100u32, 0.5f64);
    let list = [pointer(&to), pointer(&a), pointer(&b), pointer(&c)];
    assert_eq!(go(mixed, [1; 3], [1; 3], 0, pointer(&list).cast()), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(read_back::<f64>(to, 1), [107.5]);

    let mut buffer = [0u8; 24];
    buffer[..8].copy_from_slice(&to.0.to_le_bytes());
    buffer[8] = 1;
    buffer[12..16].copy_from_slice(&2u32.to_le_bytes());
    buffer[16..].copy_from_slice(&0.25f64.to_le_bytes());
    let by_buffer = |size: usize| {
        let extra = [raw::<c_void>(1), pointer(&buffer), raw(2), pointer(&size), raw(0)];
        Libcuda.cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, CUstream(0), Ptr::NULL, pointer(&extra).cast())
    };
    assert_eq!(by_buffer(24), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(read_back::<f64>(to, 1), [3.25]);
    assert_eq!(by_buffer(23), CUDA_ERROR_INVALID_VALUE);
    let nonsense = [raw::<c_void>(9), raw(0), raw(0)];
    let odd =
        Libcuda.cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, CUstream(0), Ptr::NULL, pointer(&nonsense).cast());
    assert_eq!(odd, CUDA_ERROR_INVALID_VALUE);
    assert_eq!(
        plain(mixed, [1; 3], [1; 3], 0),
        CUDA_ERROR_INVALID_VALUE,
        "no arguments for a kernel that has some"
    );
    let both = Libcuda.cuLaunchKernel(
        mixed,
        1,
        1,
        1,
        1,
        1,
        1,
        0,
        CUstream(0),
        pointer(&list).cast(),
        pointer(&nonsense).cast(),
    );
    assert_eq!(both, CUDA_ERROR_INVALID_VALUE);
    let params: Vec<_> = (0..4)
        .map(|i| {
            let mut size = 0usize;
            out(|offset| Libcuda.cuFuncGetParamInfo(mixed, i, offset, out_of(&mut size)))
                .map(|offset| (offset, size))
        })
        .collect();
    assert_eq!(params, [Ok((0, 8)), Ok((8, 1)), Ok((12, 4)), Ok((16, 8))]);
    assert!(out(|offset| Libcuda.cuFuncGetParamInfo(mixed, 4, offset, null())).is_err());
}

#[test]
fn the_oldest_way_to_launch() {
    context();
    let (mixed, to) = (kernel(CODE, "mixed"), memory(8));
    assert_eq!(Libcuda.cuFuncSetBlockShape(mixed, 1, 1, 1), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuParamSetSize(mixed, 24), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuParamSetv(mixed, 0, source(&[to.0]), 8), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuParamSeti(mixed, 12, 9), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuParamSetv(mixed, 16, source(&[0.5f64]), 8), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuParamSeti(mixed, 24, 9), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuParamSeti(mixed, -4, 9), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuLaunchGrid(mixed, 2, 2), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(read_back::<f64>(to, 1), [9.5]);
    assert_eq!(Libcuda.cuFuncSetBlockShape(mixed, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn limits_of_a_launch() {
    context();
    let f = kernel(CODE, "plain");
    for (grid, block) in [
        ([0, 1, 1], [1, 1, 1]),
        ([1, 1, 1], [1, 0, 1]),
        ([1, 65536, 1], [1, 1, 1]),
        ([1, 1, 65536], [1, 1, 1]),
        ([1 << 31, 1, 1], [1, 1, 1]),
        ([1, 1, 1], [1025, 1, 1]),
        ([1, 1, 1], [1, 1, 65]),
        ([1, 1, 1], [1024, 2, 1]),
        ([1, 1, 1], [u32::MAX, u32::MAX, u32::MAX]),
    ] {
        assert_eq!(plain(f, grid, block, 0), CUDA_ERROR_INVALID_VALUE, "{grid:?} {block:?}");
    }
    assert_eq!(plain(f, [3, 2, 1], [32, 32, 1], 48 << 10), CUDA_SUCCESS);
    assert_eq!(plain(f, [1; 3], [1; 3], (48 << 10) + 1), CUDA_ERROR_INVALID_VALUE);
    let most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    assert_eq!(Libcuda.cuFuncSetAttribute(f, most, 100 << 10), CUDA_SUCCESS);
    assert_eq!(plain(f, [1; 3], [1; 3], 100 << 10), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuFuncSetAttribute(f, most, 200 << 10), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuFuncSetAttribute(f, most, -1), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(Libcuda.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE);
    let attribute = |f, attribute| out(|value| Libcuda.cuFuncGetAttribute(value, attribute, f));
    assert_eq!(attribute(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), Ok(1024));
    assert_eq!(attribute(f, CU_FUNC_ATTRIBUTE_BINARY_VERSION), Ok(80));
    assert_eq!(attribute(f, CUfunction_attribute(99)), Err(CUDA_ERROR_INVALID_VALUE));
    let (bounded, exact) = (kernel(CODE, "bounded"), kernel(CODE, "exact"));
    assert_eq!(attribute(bounded, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), Ok(64));
    assert_eq!(plain(bounded, [1; 3], [64, 1, 1], 0), CUDA_SUCCESS);
    assert_eq!(plain(bounded, [1; 3], [65, 1, 1], 0), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    assert_eq!(plain(exact, [1; 3], [31, 1, 1], 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(plain(exact, [1; 3], [32, 1, 1], 0), CUDA_SUCCESS);
    let (user, to) = (kernel(CODE, "shared_user"), memory(4));
    assert_eq!(attribute(user, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), Ok(1024));
    let list = [pointer(&to)];
    assert_eq!(go(user, [1; 3], [1; 3], 4096, pointer(&list).cast()), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(read_back::<u32>(to, 1), [4096]);
    assert_eq!(plain(CUfunction(0), [1; 3], [1; 3], 0), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(plain(CUfunction(0x1234_5678), [1; 3], [1; 3], 0), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(
        Libcuda.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, CUstream(999), Ptr::NULL, Ptr::NULL),
        CUDA_ERROR_INVALID_HANDLE
    );
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS, "none of this harms the context");
}

#[test]
fn extended_and_cooperative_launches() {
    context();
    let (count, to) = (kernel(CODE, "count"), memory(4));
    let list = [pointer(&to)];
    let config = CUlaunchConfig {
        gridDimX: 10,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 32,
        blockDimY: 1,
        blockDimZ: 1,
        ..CUlaunchConfig::zeroed()
    };
    let with = |attributes: &[CUlaunchAttribute], grid: u32| {
        let attrs = attributes.first().map_or(Ptr::NULL, |first| pointer(first).cast());
        let config = CUlaunchConfig { gridDimX: grid, attrs, numAttrs: attributes.len() as u32, ..config };
        Libcuda.cuLaunchKernelEx(input(&config), count, pointer(&list).cast(), Ptr::NULL)
    };
    let attribute = |id, value: [u32; 3]| {
        let mut attribute = CUlaunchAttribute { id, ..CUlaunchAttribute::zeroed() };
        attribute.value.value.set(value);
        attribute
    };
    assert_eq!(with(&[], 10), CUDA_SUCCESS);
    assert_eq!(with(&[attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, [1, 0, 0])], 10), CUDA_SUCCESS);
    assert_eq!(with(&[attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, [1, 1, 1])], 10), CUDA_SUCCESS);
    assert_eq!(
        with(&[attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, [2, 1, 1])], 10),
        CUDA_ERROR_INVALID_CLUSTER_SIZE
    );
    assert_eq!(with(&[attribute(CUlaunchAttributeID(777), [0; 3])], 10), CUDA_ERROR_INVALID_VALUE);
    let too_many = [attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, [1, 0, 0])];
    assert_eq!(with(&too_many, 1 << 20), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    let cooperative =
        Libcuda.cuLaunchCooperativeKernel(count, 10, 1, 1, 32, 1, 1, 0, CUstream(0), pointer(&list).cast());
    assert_eq!(cooperative, CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    assert_eq!(read_back::<u32>(to, 1), [4 * 320]);
}

/// Every block counts itself, waits at the grid's barrier for the others, and then must see them all.
#[test]
fn blocks_of_a_cooperative_grid_meet() {
    const MEET: &str = r"
.version 7.0
.target sm_80
.address_size 64
.visible .entry meet(.param .u64 to)
{
    .reg .pred %q;
    .reg .u64 %p, %w, %lo;
    .reg .u32 %r<5>;
    ld.param.u64 %p, [to];
    mov.u32 %r1, %envreg1;
    mov.u32 %r2, %envreg2;
    mov.b64 %w, {%r2, %r1};
    atom.global.add.u32 %r3, [%p], 1;
    atom.add.release.gpu.u32 %r3, [%w+4], 1;
    mov.u32 %r4, %nctaid.x;
WAIT:
    ld.acquire.gpu.u32 %r3, [%w+4];
    setp.ne.u32 %q, %r3, %r4;
    @%q bra WAIT;
    ld.relaxed.gpu.u32 %r3, [%p];
    atom.global.min.u32 %r3, [%p+4], %r3;
    ret;
}
";
    context();
    let (meet, to) = (kernel(MEET, "meet"), memory(8));
    let list = [pointer(&to)];
    for _ in 0..3 {
        assert_eq!(Libcuda.cuMemsetD32_v2(to, 0, 1), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuMemsetD32_v2(CUdeviceptr(to.0 + 4), u32::MAX, 1), CUDA_SUCCESS);
        let code =
            Libcuda.cuLaunchCooperativeKernel(meet, 60, 1, 1, 1, 1, 1, 0, CUstream(0), pointer(&list).cast());
        assert_eq!(code, CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
        assert_eq!(read_back::<u32>(to, 2), [60, 60]);
    }
}

#[test]
fn occupancy() {
    context();
    let f = kernel(CODE, "plain");
    let blocks = |threads, dynamic| {
        out(|n| Libcuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, dynamic))
    };
    assert_eq!(blocks(1024, 0), Ok(2));
    assert_eq!(blocks(32, 0), Ok(32));
    assert_eq!(blocks(32, 40 << 10), Ok(4));
    assert_eq!(blocks(2000, 0), Ok(0));
    assert_eq!(blocks(0, 0), Err(CUDA_ERROR_INVALID_VALUE));
    let mut block = 0;
    let grid = out(|grid| Libcuda.cuOccupancyMaxPotentialBlockSize(grid, out_of(&mut block), f, None, 0, 0));
    assert_eq!((grid, block), (Ok(216), 1024));
    let bytes = out(|bytes| Libcuda.cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, 2, 256));
    assert!(bytes.is_ok_and(|bytes| (70 << 10..=82 << 10).contains(&bytes)));
}

#[test]
fn a_fault_stays_until_the_context_goes() {
    child::run("a_fault_stays_until_the_context_goes", &[], || {
        let context = context();
        let (stray, inside) = (kernel(CODE, "stray"), memory(1000));
        assert_eq!(launch(stray, 1, CUstream(0), &[inside.0 + 996]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
        assert_eq!(launch(stray, 1, CUstream(0), &[inside.0 + 1000]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(out(|dptr| Libcuda.cuMemAlloc_v2(dptr, 16)), Err(CUDA_ERROR_ILLEGAL_ADDRESS));
        assert_eq!(launch(stray, 1, CUstream(0), &[inside.0]), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(Libcuda.cuMemFree_v2(inside), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(Libcuda.cuCtxDestroy_v2(context), CUDA_SUCCESS);
        for (name, argument, code) in [
            ("stray", 2, CUDA_ERROR_MISALIGNED_ADDRESS),
            ("stray", 0, CUDA_ERROR_ILLEGAL_ADDRESS),
            ("stray", 0x7000_0000_0000, CUDA_ERROR_ILLEGAL_ADDRESS),
            ("trapped", 0, CUDA_ERROR_LAUNCH_FAILED),
        ] {
            let context = call_unsafe::context();
            let arguments: &[u64] = if name == "stray" { &[argument] } else { &[] };
            assert_eq!(launch(kernel(CODE, name), 1, CUstream(0), arguments), CUDA_SUCCESS);
            assert_eq!(Libcuda.cuCtxSynchronize(), code, "{name} {argument:#x}");
            assert_eq!(Libcuda.cuCtxDestroy_v2(context), CUDA_SUCCESS);
        }
        // The primary context is usable again after a reset.
        let primary = out(|ctx| Libcuda.cuDevicePrimaryCtxRetain(ctx, CUdevice(0))).expect("a context");
        assert_eq!(Libcuda.cuCtxSetCurrent(primary), CUDA_SUCCESS);
        assert_eq!(launch(kernel(CODE, "stray"), 1, CUstream(0), &[0]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(Libcuda.cuDevicePrimaryCtxReset_v2(CUdevice(0)), CUDA_SUCCESS);
        let primary = out(|ctx| Libcuda.cuDevicePrimaryCtxRetain(ctx, CUdevice(0))).expect("a context");
        assert_eq!(Libcuda.cuCtxSetCurrent(primary), CUDA_SUCCESS);
        assert_eq!(launch(kernel(CODE, "stray"), 1, CUstream(0), &[memory(4).0]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    });
}

#[test]
fn what_a_kernel_prints_appears_when_the_program_synchronises() {
    let output = child::run("what_a_kernel_prints_appears_when_the_program_synchronises", &[], || {
        context();
        assert_eq!(launch(kernel(CODE, "speak"), 3, CUstream(0), &[]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    });
    if !child::is_child() {
        assert_eq!(output.matches("v=42!abc\n").count(), 3, "{output}");
    }
}
