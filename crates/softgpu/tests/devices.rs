//! Devices, what they say about themselves, which of them a process sees, and symbol look-up.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod child;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;
#[allow(dead_code)]
mod peer;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use cleave_device::{Machine, Request};
use host_unsafe::*;
use peer::Folder;
use std::ffi::{CStr, c_void};

fn count() -> i32 {
    out(|n| Libcuda.cuDeviceGetCount(n)).expect("a count")
}

fn uuid(device: i32) -> [u8; 16] {
    out(|uuid| Libcuda.cuDeviceGetUuid_v2(uuid, CUdevice(device))).expect("a uuid").bytes
}

fn attribute(attribute: CUdevice_attribute) -> i32 {
    out(|value| Libcuda.cuDeviceGetAttribute(value, attribute, CUdevice(0))).expect("an attribute")
}

#[test]
fn what_a_device_says() {
    assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
    let mut name = [0xffu8; 64];
    assert_eq!(Libcuda.cuDeviceGetName(target(&mut name), 64, CUdevice(0)), CUDA_SUCCESS);
    let name = CStr::from_bytes_until_nul(&name).expect("a C string").to_str().expect("text").to_owned();
    assert!(name.contains("Cleave"));
    let mut short = [0xffu8; 5];
    assert_eq!(Libcuda.cuDeviceGetName(target(&mut short), 5, CUdevice(0)), CUDA_SUCCESS);
    assert_eq!(&short, b"Clea\0");
    assert_eq!(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 8);
    assert_eq!(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 0);
    assert_eq!(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    assert_eq!(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
    assert_eq!(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
    assert_eq!(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH), 0);
    // Runtimes ask for attributes no header names yet.
    for unknown in [0, 162, 500, u32::MAX] {
        assert_eq!(attribute(CUdevice_attribute(unknown)), 0);
    }
    for wrong in [-1, 1, i32::MAX] {
        assert_eq!(out(|device| Libcuda.cuDeviceGet(device, wrong)), Err(CUDA_ERROR_INVALID_DEVICE));
        assert_eq!(
            out(|bytes| Libcuda.cuDeviceTotalMem_v2(bytes, CUdevice(wrong))),
            Err(CUDA_ERROR_INVALID_DEVICE)
        );
    }
    assert_eq!(out(|bytes| Libcuda.cuDeviceTotalMem_v2(bytes, CUdevice(0))), Ok(4 << 30));
    let mut bus = [0u8; 16];
    assert_eq!(Libcuda.cuDeviceGetPCIBusId(target(&mut bus), 16, CUdevice(0)), CUDA_SUCCESS);
    let text = CStr::from_bytes_until_nul(&bus).expect("a C string");
    assert_eq!(out(|device| Libcuda.cuDeviceGetByPCIBusId(device, c_str(text))), Ok(CUdevice(0)));
    assert!(out(|device| Libcuda.cuDeviceGetByPCIBusId(device, c_str(c"nonsense"))).is_err());
    assert!(out(|device| Libcuda.cuDeviceGetByPCIBusId(device, c_str(c"0000:77:00.0"))).is_err());
}

#[test]
fn which_devices_a_process_sees() {
    // In a folder, so that the devices have the same UUIDs in all of these processes.
    let folder = Folder::new();
    let place = folder.path().to_str().expect("text");
    let request = Request::folder(folder.path()).with("devices", "3").with("context", "0");
    let first = Machine::open(&request).expect("devices").device(0).uuid_text();
    let sees = |name, visible: &str, then: fn()| {
        let settings =
            [("CLEAVE_SOFTGPU", place), ("CLEAVE_SOFTGPU_DEVICES", "3"), ("CUDA_VISIBLE_DEVICES", visible)];
        child::run(name, &settings, then);
    };
    let by_uuid = format!("{},9,1", &first[..12]);
    const NAME: &str = "which_devices_a_process_sees";
    sees(NAME, "2,0", || match std::env::var("CUDA_VISIBLE_DEVICES").as_deref() {
        Ok("2,0") => {
            assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
            assert_eq!(count(), 2);
            assert_ne!(uuid(0), uuid(1));
            assert_eq!(uuid(0)[0].wrapping_sub(uuid(1)[0]), 2, "in the order asked for");
        }
        Ok(list) if list.starts_with("GPU-") => {
            assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
            assert_eq!(count(), 1, "the list ends at the first entry that names no device");
            let hex: String = uuid(0).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(list[4..12], hex[..8]);
        }
        _ => assert_eq!(Libcuda.cuInit(0), CUDA_ERROR_NO_DEVICE),
    });
    if child::is_child() {
        return;
    }
    for visible in [&by_uuid, "", "-1", "0,0"] {
        sees(NAME, visible, || unreachable!("the child runs the first one"));
    }
}

fn look_up(name: &CStr, version: i32, flags: u64) -> (CUresult, Ptr<c_void>, CUdriverProcAddressQueryResult) {
    let (mut pfn, mut status) = (Ptr::NULL, CUdriverProcAddressQueryResult(77));
    let code =
        Libcuda.cuGetProcAddress_v2(c_str(name), out_of(&mut pfn), version, flags, out_of(&mut status));
    (code, pfn, status)
}

#[test]
fn symbols_by_version() {
    let (code, new, status) = look_up(c"cuMemAlloc", 12000, 0);
    assert_eq!((code, status), (CUDA_SUCCESS, CU_GET_PROC_ADDRESS_SUCCESS));
    let (_, old, _) = look_up(c"cuMemAlloc", 3000, 0);
    assert!(!new.is_null() && !old.is_null() && new != old);
    let (_, legacy, _) = look_up(c"cuLaunchKernel", 12000, 0);
    let (_, per_thread, _) = look_up(c"cuLaunchKernel", 12000, 2);
    assert_ne!(legacy, per_thread);
    assert_eq!(look_up(c"cuMemAlloc_v2", 12000, 0).1, Ptr::NULL);
    assert_eq!(look_up(c"cuMemAlloc_v2", 12000, 0).2, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_eq!(look_up(c"cuNoSuchThing", 12000, 0).0, CUDA_SUCCESS);
    assert_eq!(look_up(c"cuGraphLaunch", 9000, 0).2, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    assert_eq!(look_up(c"cuInit", 12000, 8).0, CUDA_ERROR_INVALID_VALUE);
    assert_eq!(
        out(|pfn| Libcuda.cuGetProcAddress(c_str(c"cuNoSuchThing"), pfn, 12000, 0)).map(|_| ()),
        Err(CUDA_ERROR_NOT_FOUND)
    );
    // What is found is a function.
    let found =
        out(|pfn| Libcuda.cuGetProcAddress(c_str(c"cuDriverGetVersion"), pfn, 12000, 0)).expect("a function");
    let version = out(|version| Libcuda.cuDriverGetVersion(version)).expect("a version");
    assert_eq!(call_with_out(found), (CUDA_SUCCESS, version));
    let id = CUuuid { bytes: [7; 16] };
    let mut table = Ptr::NULL;
    assert_eq!(Libcuda.cuGetExportTable(out_of(&mut table), input(&id)), CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn an_older_driver_knows_less() {
    child::run("an_older_driver_knows_less", &[("CLEAVE_SOFTGPU_DRIVER_VERSION", "11080")], || {
        assert_eq!(out(|version| Libcuda.cuDriverGetVersion(version)), Ok(11080));
        assert_eq!(look_up(c"cuLibraryLoadData", 13000, 0).2, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
        assert!(!look_up(c"cuMemAllocAsync", 13000, 0).1.is_null());
    });
}

#[test]
fn names_of_errors() {
    let text = |code| out(|text| Libcuda.cuGetErrorName(CUresult(code), text)).map(text_at);
    assert_eq!(text(0), Ok("CUDA_SUCCESS"));
    assert_eq!(text(700), Ok("CUDA_ERROR_ILLEGAL_ADDRESS"));
    assert_eq!(text(424242), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(out(|text| Libcuda.cuGetErrorString(CUresult(2), text)).map(text_at), Ok("out of memory"));
    assert_eq!(Libcuda.cuGetErrorName(CUDA_SUCCESS, null()), CUDA_ERROR_INVALID_VALUE);
}
