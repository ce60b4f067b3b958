//! How much memory there is: what the grant says, as far as the device has it. CUDA says the same.

use cleave_api::nvml::types::*;

use super::room_unsafe::{changed, filled};
use super::tenant::tenant;
use super::{Answer, InOut, Out};
use crate::real_unsafe::nvml as real;

pub fn nvmlDeviceGetMemoryInfo(device: nvmlDevice_t, memory: Out<nvmlMemory_t>) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !memory.is_null()) else {
        return real::nvmlDeviceGetMemoryInfo(device, memory);
    };
    let run = || -> Answer {
        let info = filled(|info| real::nvmlDeviceGetMemoryInfo(device, info))?;
        let seen = figures(tenant.device(device)?.memory(), info.total, info.free);
        memory.set(nvmlMemory_t { total: seen.total, free: seen.free, used: seen.total - seen.free })
    };
    run().into()
}

pub fn nvmlDeviceGetMemoryInfo_v2(device: nvmlDevice_t, memory: InOut<nvmlMemory_v2_t>) -> nvmlReturn_t {
    let (Some(tenant), Ok(asked)) = (tenant(), memory.get()) else {
        return real::nvmlDeviceGetMemoryInfo_v2(device, memory);
    };
    let run = || -> Answer {
        let (code, info) = changed(asked, |info| real::nvmlDeviceGetMemoryInfo_v2(device, info));
        code.ok()?;
        let seen = figures(tenant.device(device)?.memory(), info.total, info.free);
        memory.set(nvmlMemory_v2_t {
            version: info.version,
            total: seen.total,
            // What others took of a device that was promised to more tenants than it has memory for is nobody's use here.
            reserved: seen.total - seen.used - seen.free,
            free: seen.free,
            used: seen.used,
        })
    };
    run().into()
}

/// What a tenant sees. `used` and `free` never add up to more than `total`.
struct Figures {
    total: u64,
    used: u64,
    free: u64,
}

fn figures((limit, used): (u64, u64), device_total: u64, device_free: u64) -> Figures {
    let total = limit.min(device_total);
    let used = used.min(total);
    Figures { total, used, free: (total - used).min(device_free) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_always_add_up() {
        let numbers = [0, 1, 5, 8, 9, u64::MAX];
        for (limit, used) in numbers.iter().flat_map(|&limit| numbers.map(|used| (limit, used))) {
            for (total, free) in [(8, 0), (8, 3), (8, 8), (0, 0), (8, u64::MAX)] {
                let seen = figures((limit, used), total, free);
                assert!(seen.total <= total && seen.total <= limit);
                assert!(seen.used.checked_add(seen.free).is_some_and(|sum| sum <= seen.total));
                assert!(seen.free <= free);
            }
        }
    }

    #[test]
    fn a_limit_below_what_is_held_leaves_nothing_free() {
        let seen = figures((2, 5), 8, 8);
        assert_eq!((seen.total, seen.used, seen.free), (2, 2, 0));
    }

    #[test]
    fn what_the_device_lacks_is_not_free() {
        let seen = figures((4, 1), 8, 2);
        assert_eq!((seen.total, seen.used, seen.free), (4, 1, 2));
    }
}
