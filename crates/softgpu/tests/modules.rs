//! Code: images of every kind, logs, variables, the linker, libraries.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use host_unsafe::*;
use std::ffi::{CString, c_void};

const HEAD: &str = ".version 7.0\n.target sm_80\n.address_size 64\n";

const MODULE: &str = r"
.visible .global .align 4 .u32 counter = 5;
.visible .const .align 8 .u64 table[2] = { counter, 7 };
.global .align 16 .b8 private_bytes[3] = { 1, 2, 3 };

.visible .entry bump(.param .u32 by)
{
    .reg .u32 %v, %b;
    ld.param.u32 %b, [by];
    ld.global.u32 %v, [counter];
    add.u32 %v, %v, %b;
    st.global.u32 [counter], %v;
    ret;
}

// Follows the pointer in the table.
.visible .entry follow()
{
    .reg .u64 %p;
    .reg .u32 %v;
    ld.const.u64 %p, [table];
    ld.global.u32 %v, [%p];
    add.u32 %v, %v, 100;
    st.global.u32 [%p], %v;
    ret;
}
";

fn text(body: &str) -> CString {
    CString::new(format!("{HEAD}{body}")).expect("no zero inside")
}

fn load_at(at: Ptr<c_void>) -> Result<CUmodule, CUresult> {
    out(|module| Libcuda.cuModuleLoadData(module, at))
}

fn load(body: &str) -> Result<CUmodule, CUresult> {
    let text = text(body);
    load_at(raw(text.as_ptr() as u64))
}

fn function(module: CUmodule, name: &str) -> Result<CUfunction, CUresult> {
    let name = CString::new(name).expect("no zero inside");
    out(|function| Libcuda.cuModuleGetFunction(function, module, c_str(&name)))
}

fn global(module: CUmodule, name: &str) -> Result<(CUdeviceptr, usize), CUresult> {
    let name = CString::new(name).expect("no zero inside");
    let mut bytes = 0usize;
    out(|dptr| Libcuda.cuModuleGetGlobal_v2(dptr, out_of(&mut bytes), module, c_str(&name)))
        .map(|at| (at, bytes))
}

fn run(function: CUfunction, arguments: &[u64]) {
    assert_eq!(launch(function, 1, CUstream(0), arguments), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
}

#[test]
fn variables_and_functions() {
    context();
    let module = load(MODULE).expect("a module");
    let (counter, bytes) = global(module, "counter").expect("a variable");
    assert_eq!(bytes, 4);
    assert_eq!(read_back::<u32>(counter, 1), [5]);
    let (table, bytes) = global(module, "table").expect("a variable");
    assert_eq!(bytes, 16);
    assert_eq!(read_back::<u64>(table, 2), [counter.0, 7], "addresses in initialisers are filled in");
    let bump = function(module, "bump").expect("a function");
    assert_eq!(function(module, "bump"), Ok(bump), "the same function, the same handle");
    run(bump, &[10]);
    run(function(module, "follow").expect("a function"), &[]);
    assert_eq!(read_back::<u32>(counter, 1), [115]);
    write(counter, &[1u32]);
    run(bump, &[1]);
    assert_eq!(read_back::<u32>(counter, 1), [2]);
    assert_eq!(function(module, "nothing"), Err(CUDA_ERROR_NOT_FOUND));
    assert_eq!(global(module, "nothing"), Err(CUDA_ERROR_NOT_FOUND));
    assert_eq!(out(|n| Libcuda.cuModuleGetFunctionCount(n, module)), Ok(2));
    let mut all = [CUfunction(0); 2];
    assert_eq!(Libcuda.cuModuleEnumerateFunctions(slice_mut(&mut all), 2, module), CUDA_SUCCESS);
    assert!(all.contains(&bump));
    assert_eq!(out(|got| Libcuda.cuFuncGetModule(got, bump)), Ok(module));
    assert_eq!(out(|name| Libcuda.cuFuncGetName(name, bump)).map(text_at), Ok("bump"));
    assert_eq!(Libcuda.cuMemFree_v2(counter), CUDA_ERROR_INVALID_VALUE, "not the program's to free");
    // A module of the same code has variables of its own.
    let other = load(MODULE).expect("a module");
    assert_eq!(read_back::<u32>(global(other, "counter").expect("a variable").0, 1), [5]);
    assert_eq!(Libcuda.cuModuleUnload(module), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(launch(bump, 1, CUstream(0), &[1]), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(Libcuda.cuMemcpyDtoD_v2(counter, counter, 4), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(function(CUmodule(99), "bump"), Err(CUDA_ERROR_INVALID_HANDLE));
}

#[test]
fn images_that_are_none() {
    context();
    assert_eq!(load_at(Ptr::NULL), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(load(".visible .entry broken( {"), Err(CUDA_ERROR_INVALID_PTX));
    assert_eq!(load(".visible .entry broken() { add.u32 %r1, %r2; ret; }"), Err(CUDA_ERROR_INVALID_PTX));
    // What an assembler would refuse: more than the device has.
    assert_eq!(load(".visible .const .align 4 .b8 big[65540];"), Err(CUDA_ERROR_INVALID_PTX));
    let greedy = ".visible .entry greedy() { .shared .align 4 .b8 big[49156]; .reg .u32 %v; ld.shared.u32 %v, [big]; ret; }";
    assert_eq!(load(greedy), Err(CUDA_ERROR_INVALID_PTX));
    for (bytes, code) in [
        (&b"no PTX at all\0"[..], CUDA_ERROR_INVALID_PTX),
        (b".version 10.0\n.target sm_200\n.shiny new;\0", CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
        (b"\0", CUDA_ERROR_INVALID_IMAGE),
        (b"   \n\0", CUDA_ERROR_INVALID_IMAGE),
        (b"\xff\xfe\x01garbage\0", CUDA_ERROR_INVALID_IMAGE),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", CUDA_ERROR_NO_BINARY_FOR_GPU),
    ] {
        assert_eq!(load_at(raw(bytes.as_ptr() as u64)), Err(code), "{bytes:?}");
    }
    assert_eq!(
        out(|module| Libcuda.cuModuleLoad(module, c_str(c"/no/such/file"))),
        Err(CUDA_ERROR_FILE_NOT_FOUND)
    );
    assert_eq!(Libcuda.cuModuleLoadData(null(), raw(text("").as_ptr() as u64)), CUDA_ERROR_INVALID_VALUE);
}

/// A container with one entry, not compressed.
fn fatbin(kind: u16, sm: u32, payload: &[u8]) -> Vec<u8> {
    let mut payload = payload.to_vec();
    payload.resize(payload.len().next_multiple_of(8), 0);
    let mut entry = vec![0u8; 64];
    entry[0..2].copy_from_slice(&kind.to_le_bytes());
    entry[2..4].copy_from_slice(&0x101u16.to_le_bytes());
    entry[4..8].copy_from_slice(&64u32.to_le_bytes());
    entry[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    entry[28..32].copy_from_slice(&sm.to_le_bytes());
    let mut all = Vec::new();
    all.extend(0xba55_ed50u32.to_le_bytes());
    all.extend(1u16.to_le_bytes());
    all.extend(16u16.to_le_bytes());
    all.extend((64 + payload.len() as u64).to_le_bytes());
    all.extend(entry);
    all.extend(payload);
    all
}

#[test]
fn fatbins_bare_and_wrapped() {
    context();
    let ptx = text(MODULE);
    let container = fatbin(1, 80, ptx.as_bytes_with_nul());
    let module = load_at(raw(container.as_ptr() as u64)).expect("a module");
    assert!(function(module, "bump").is_ok());
    let wrapper = [0x4662_43b1u64 | 1 << 32, container.as_ptr() as u64, 0];
    let module =
        out(|module| Libcuda.cuModuleLoadFatBinary(module, raw(wrapper.as_ptr() as u64))).expect("a module");
    assert!(function(module, "follow").is_ok());
    let machine_code = fatbin(2, 80, b"\x7fELF");
    assert_eq!(load_at(raw(machine_code.as_ptr() as u64)), Err(CUDA_ERROR_NO_BINARY_FOR_GPU));
    let newer = fatbin(1, 90, ptx.as_bytes_with_nul());
    assert_eq!(load_at(raw(newer.as_ptr() as u64)), Err(CUDA_ERROR_NO_BINARY_FOR_GPU));
    let mut damaged = fatbin(1, 80, ptx.as_bytes_with_nul());
    damaged[16 + 8..16 + 16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(load_at(raw(damaged.as_ptr() as u64)), Err(CUDA_ERROR_INVALID_IMAGE));
}

#[test]
fn the_compiler_says_what_is_wrong_and_where() {
    context();
    let bad = text(".visible .entry broken() {\n    frobnicate.u32 %r1;\n    ret;\n}\n");
    let (mut errors, mut infos) = (vec![0u8; 500], vec![0u8; 500]);
    let options = [
        CU_JIT_ERROR_LOG_BUFFER,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        CU_JIT_INFO_LOG_BUFFER,
        CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        CU_JIT_WALL_TIME,
        CU_JIT_OPTIMIZATION_LEVEL,
    ];
    let mut load = |image: &CString| {
        let mut values = [
            raw::<c_void>(errors.as_mut_ptr() as u64),
            raw(errors.len() as u64),
            raw(infos.as_mut_ptr() as u64),
            raw(infos.len() as u64),
            raw(0),
            raw(4),
        ];
        let loaded = out(|module| {
            let at = raw(image.as_ptr() as u64);
            Libcuda.cuModuleLoadDataEx(module, at, 6, slice(&options), slice_mut(&mut values))
        });
        let said = |bytes: &[u8], len: usize| String::from_utf8_lossy(&bytes[..len]).into_owned();
        (loaded, said(&errors, values[1].addr()), said(&infos, values[3].addr()))
    };
    let (loaded, errors, _) = load(&bad);
    assert_eq!(loaded, Err(CUDA_ERROR_INVALID_PTX));
    assert!(errors.contains("5:") && errors.contains("frobnicate"), "{errors:?}");
    let (loaded, errors, infos) = load(&text(MODULE));
    assert!(loaded.is_ok());
    assert_eq!(errors, "");
    assert!(infos.contains("bump"), "{infos:?}");
}

fn add(state: CUlinkState, kind: CUjitInputType, bytes: &[u8]) -> CUresult {
    Libcuda.cuLinkAddData_v2(
        state,
        kind,
        source(bytes),
        bytes.len(),
        c_str(c"input"),
        0,
        slice(&[]),
        no_slice_mut(),
    )
}

#[test]
fn several_texts_become_one_program() {
    context();
    let state = out(|state| Libcuda.cuLinkCreate_v2(0, slice(&[]), no_slice_mut(), state)).expect("a link");
    let caller = text(
        r"
.extern .func (.param .u32 result) twice(.param .u32 x);
.extern .global .align 4 .u32 offset;
.visible .entry go(.param .u64 to)
{
    .reg .u64 %a;
    .reg .u32 %v, %o;
    ld.param.u64 %a, [to];
    ld.global.u32 %v, [%a];
    {
        .param .u32 in;
        .param .u32 out;
        st.param.u32 [in], %v;
        call.uni (out), twice, (in);
        ld.param.u32 %v, [out];
    }
    ld.global.u32 %o, [offset];
    add.u32 %v, %v, %o;
    st.global.u32 [%a], %v;
    ret;
}
",
    );
    let callee = text(
        r"
.visible .global .align 4 .u32 offset = 1000;
.visible .func (.param .u32 result) twice(.param .u32 x)
{
    .reg .u32 %v;
    ld.param.u32 %v, [x];
    add.u32 %v, %v, %v;
    st.param.u32 [result], %v;
    ret;
}
",
    );
    assert_eq!(add(state, CU_JIT_INPUT_PTX, caller.as_bytes_with_nul()), CUDA_SUCCESS);
    assert_eq!(
        add(state, CU_JIT_INPUT_PTX, callee.as_bytes()),
        CUDA_SUCCESS,
        "with or without a closing zero"
    );
    assert_eq!(add(state, CU_JIT_INPUT_PTX, b"nonsense"), CUDA_ERROR_INVALID_PTX);
    assert_eq!(add(state, CU_JIT_INPUT_CUBIN, b"\x7fELF...."), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_eq!(add(state, CUjitInputType(88), b"x"), CUDA_ERROR_INVALID_VALUE);
    let mut size = 0usize;
    let image = out(|image| Libcuda.cuLinkComplete(state, image, out_of(&mut size))).expect("an image");
    assert!(size > 0);
    let kept = host::<u8>(image.addr() as u64, size).to_vec();
    assert_eq!(Libcuda.cuLinkDestroy(state), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
    let module = load_at(raw(kept.as_ptr() as u64)).expect("a module");
    let device = memory(4);
    write(device, &[21u32]);
    run(function(module, "go").expect("a function"), &[device.0]);
    assert_eq!(read_back::<u32>(device, 1), [1042]);
}

#[test]
fn a_library_is_in_every_context() {
    let first = context();
    let code = text(MODULE);
    let library = out(|library| {
        Libcuda.cuLibraryLoadData(
            library,
            raw(code.as_ptr() as u64),
            slice(&[]),
            no_slice_mut(),
            0,
            slice(&[]),
            slice(&[]),
            0,
        )
    })
    .expect("a library");
    let bump = out(|kernel| Libcuda.cuLibraryGetKernel(kernel, library, c_str(c"bump"))).expect("a kernel");
    assert_eq!(out(|n| Libcuda.cuLibraryGetKernelCount(n, library)), Ok(2));
    assert_eq!(
        out(|kernel| Libcuda.cuLibraryGetKernel(kernel, library, c_str(c"none"))),
        Err(CUDA_ERROR_NOT_FOUND)
    );
    assert_eq!(out(|name| Libcuda.cuKernelGetName(name, bump)).map(text_at), Ok("bump"));
    assert_eq!(out(|got| Libcuda.cuKernelGetLibrary(got, bump)), Ok(library));
    let counter = || {
        let mut bytes = 0usize;
        out(|dptr| Libcuda.cuLibraryGetGlobal(dptr, out_of(&mut bytes), library, c_str(c"counter")))
            .expect("a variable")
    };
    // A kernel may be launched as if it were a function.
    run(CUfunction(bump.0), &[1]);
    assert_eq!(read_back::<u32>(counter(), 1), [6]);
    let here = out(|function| Libcuda.cuKernelGetFunction(function, bump)).expect("a function");
    run(here, &[1]);
    assert_eq!(read_back::<u32>(counter(), 1), [7]);
    let second = context();
    assert_eq!(read_back::<u32>(counter(), 1), [5], "each context has variables of its own");
    run(CUfunction(bump.0), &[1]);
    assert_eq!(
        launch(here, 1, CUstream(0), &[1]),
        CUDA_ERROR_INVALID_HANDLE,
        "a function of another context"
    );
    let module = out(|module| Libcuda.cuLibraryGetModule(module, library)).expect("a module");
    assert_eq!(Libcuda.cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
    assert_eq!(Libcuda.cuCtxDestroy_v2(second), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSetCurrent(first), CUDA_SUCCESS);
    assert_eq!(read_back::<u32>(counter(), 1), [7]);
    assert_eq!(Libcuda.cuLibraryUnload(library), CUDA_SUCCESS);
    assert_eq!(launch(CUfunction(bump.0), 1, CUstream(0), &[1]), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(Libcuda.cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
}
