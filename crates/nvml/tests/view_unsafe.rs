//! What NVML shows of processes that share the device.

#![allow(unsafe_code)]

#[allow(dead_code)]
mod on_device;

use cleave_api::nvml::types::*;
use cleave_nvml::exports_unsafe::*;
use on_device::Guest;
use std::time::{Duration, Instant};

const CHUNK: u64 = 2 << 20;

fn device(index: u32) -> nvmlDevice_t {
    let mut device = nvmlDevice_t(0);
    // SAFETY: the handle is written to a place of ours.
    assert_eq!(unsafe { nvmlDeviceGetHandleByIndex_v2(index, &raw mut device) }, NVML_SUCCESS);
    device
}

fn memory(device: nvmlDevice_t) -> nvmlMemory_t {
    let mut memory = nvmlMemory_t::default();
    // SAFETY: as above.
    assert_eq!(unsafe { nvmlDeviceGetMemoryInfo(device, &raw mut memory) }, NVML_SUCCESS);
    assert_eq!(memory.total, memory.used + memory.free);
    memory
}

fn processes(device: nvmlDevice_t) -> Vec<(u32, u64)> {
    let (mut infos, mut count) = ([nvmlProcessInfo_t::default(); 8], 8);
    // SAFETY: as long as we say.
    let code = unsafe { nvmlDeviceGetComputeRunningProcesses_v3(device, &raw mut count, infos.as_mut_ptr()) };
    assert_eq!(code, NVML_SUCCESS);
    let mut found: Vec<(u32, u64)> =
        infos[..count as usize].iter().map(|info| (info.pid, info.usedGpuMemory)).collect();
    found.sort_unstable();
    found
}

/// Waits until it is so, or for long enough to say that it never will be.
fn soon(is: impl Fn() -> bool) {
    let started = Instant::now();
    while !is() && started.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn load(device: nvmlDevice_t) -> u32 {
    let mut rates = nvmlUtilization_t::default();
    // SAFETY: written to a place of ours.
    assert_eq!(unsafe { nvmlDeviceGetUtilizationRates(device, &raw mut rates) }, NVML_SUCCESS);
    rates.gpu
}

#[test]
fn neighbours_are_seen_while_they_live() {
    const NAME: &str = "neighbours_are_seen_while_they_live";
    if on_device::guest() {
        return;
    }
    on_device::run(NAME, &[("CLEAVE_SOFTGPU_DEVICES", "2")], || {
        // SAFETY: no pointers.
        assert_eq!(unsafe { nvmlInit_v2() }, NVML_SUCCESS);
        let (first, second) = (device(0), device(1));
        assert_eq!((memory(first).used, processes(first).len(), load(first)), (0, 0, 0));

        let (mut one, other) = (Guest::start(NAME, 3, 20), Guest::start(NAME, 5, 30));
        let mut held = vec![(one.pid(), 3 * CHUNK), (other.pid(), 5 * CHUNK)];
        held.sort_unstable();
        assert_eq!(processes(first), held);
        assert_eq!(memory(first).used, 8 * CHUNK);
        // The device is new: it takes a second until there is a full one to speak of.
        soon(|| load(first) == 50);
        assert_eq!(load(first), 50);
        assert_eq!((memory(second).used, processes(second), load(second)), (0, vec![], 0));
        assert_eq!(shares(first), {
            let mut shares = vec![(one.pid(), 20), (other.pid(), 30)];
            shares.sort_unstable();
            shares
        });

        // Nobody cleans up after it here, and yet what it had is not shown any more.
        one.kill();
        soon(|| processes(first).len() == 1);
        assert_eq!(processes(first), [(other.pid(), 5 * CHUNK)]);
        assert_eq!(memory(first).used, 5 * CHUNK);
    });
}

fn shares(device: nvmlDevice_t) -> Vec<(u32, u32)> {
    let mut count = 0;
    // SAFETY: no room, and a count that says so.
    let code = unsafe { nvmlDeviceGetProcessUtilization(device, std::ptr::null_mut(), &raw mut count, 0) };
    assert_eq!((code, count), (NVML_ERROR_INSUFFICIENT_SIZE, 2));
    let mut samples = [nvmlProcessUtilizationSample_t::default(); 2];
    // SAFETY: as long as we say.
    let code = unsafe { nvmlDeviceGetProcessUtilization(device, samples.as_mut_ptr(), &raw mut count, 0) };
    assert_eq!((code, count), (NVML_SUCCESS, 2));
    let mut shares: Vec<(u32, u32)> = samples.iter().map(|sample| (sample.pid, sample.smUtil)).collect();
    shares.sort_unstable();
    shares
}

#[test]
fn every_form_of_the_list_says_the_same() {
    const NAME: &str = "every_form_of_the_list_says_the_same";
    if on_device::guest() {
        return;
    }
    on_device::run(NAME, &[], || {
        // SAFETY: no pointers.
        assert_eq!(unsafe { nvmlInit_v2() }, NVML_SUCCESS);
        let device = device(0);
        let guest = Guest::start(NAME, 4, 0);
        let mut count = 0;
        let mut first = [nvmlProcessInfo_v1_t::default(); 2];
        let mut details = [nvmlProcessDetail_v1_t::default(); 2];
        // SAFETY: every place is as long as we say.
        unsafe {
            let code = nvmlDeviceGetComputeRunningProcesses(device, &raw mut count, std::ptr::null_mut());
            assert_eq!(
                (code, count),
                (NVML_ERROR_INSUFFICIENT_SIZE, 1),
                "a caller learns how much room it needs"
            );
            let code = nvmlDeviceGetComputeRunningProcesses(device, &raw mut count, std::ptr::null_mut());
            assert_eq!(code, NVML_ERROR_INVALID_ARGUMENT, "room without a place");
            let code = nvmlDeviceGetComputeRunningProcesses(device, &raw mut count, first.as_mut_ptr());
            assert_eq!((code, count), (NVML_SUCCESS, 1));
            let mut none = 2;
            let code = nvmlDeviceGetGraphicsRunningProcesses(device, &raw mut none, first[1..].as_mut_ptr());
            assert_eq!((code, none), (NVML_SUCCESS, 0));
            let mut list = nvmlProcessDetailList_t {
                version: nvmlProcessDetailList_v1,
                mode: NVML_PROCESS_MODE_COMPUTE.0,
                numProcArrayEntries: 2,
                procArray: cleave_api::edge::Ptr::new(details.as_mut_ptr().expose_provenance()),
            };
            assert_eq!(nvmlDeviceGetRunningProcessDetailList(device, &raw mut list), NVML_SUCCESS);
            assert_eq!(list.numProcArrayEntries, 1);
            list.version = 7;
            let code = nvmlDeviceGetRunningProcessDetailList(device, &raw mut list);
            assert_eq!(code, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
            let mut samples = 0;
            let code = nvmlDeviceGetProcessUtilization(device, std::ptr::null_mut(), &raw mut samples, 0);
            assert_eq!(code, NVML_ERROR_NOT_FOUND, "it holds memory and does nothing");
        }
        let expected = (guest.pid(), 4 * CHUNK);
        assert_eq!((first[0].pid, first[0].usedGpuMemory), expected);
        assert_eq!((details[0].pid, details[0].usedGpuMemory), expected);
        assert_eq!(processes(device), [expected]);
    });
}

#[test]
fn a_damaged_device_is_an_error_and_no_crash() {
    on_device::run("a_damaged_device_is_an_error_and_no_crash", &[("CLEAVE_LOG", "off")], || {
        let folder = std::env::var("CLEAVE_SOFTGPU").expect("a device of our own");
        let device = std::path::Path::new(&folder).join("device");
        std::fs::create_dir(&device).expect("a new folder");
        std::fs::write(device.join("control"), "this is no device").expect("a file");
        // SAFETY: no pointers.
        unsafe {
            assert_eq!(nvmlInit_v2(), NVML_ERROR_DRIVER_NOT_LOADED);
            assert_eq!(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
        }
    });
}

#[test]
fn what_no_device_can_be_made_of_is_refused() {
    const NAME: &str = "what_no_device_can_be_made_of_is_refused";
    let refused = || {
        // SAFETY: no pointers.
        assert_eq!(unsafe { nvmlInit_v2() }, NVML_ERROR_DRIVER_NOT_LOADED);
    };
    for wrong in [
        ("CLEAVE_SOFTGPU", "private"),
        ("CLEAVE_SOFTGPU", "no such preset"),
        ("CLEAVE_SOFTGPU_MEMORY", "much"),
        ("CLEAVE_SOFTGPU_DRIVER_VERSION", "newest"),
    ] {
        on_device::run(NAME, &[("CLEAVE_LOG", "off"), wrong], refused);
    }
}

#[test]
fn as_often_initialised_as_not_shut_down() {
    on_device::run("as_often_initialised_as_not_shut_down", &[], || {
        let mut count = 0;
        // SAFETY: the count is written to a place of ours.
        unsafe {
            assert_eq!(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
            for _ in 0..3 {
                assert_eq!((nvmlInit_v2(), nvmlInit()), (NVML_SUCCESS, NVML_SUCCESS));
                assert_eq!(nvmlShutdown(), NVML_SUCCESS);
                assert_eq!(nvmlDeviceGetCount_v2(&raw mut count), NVML_SUCCESS);
                assert_eq!(nvmlShutdown(), NVML_SUCCESS);
                assert_eq!(nvmlDeviceGetCount_v2(&raw mut count), NVML_ERROR_UNINITIALIZED);
            }
        }
        assert_eq!(count, 1);
    });
}
