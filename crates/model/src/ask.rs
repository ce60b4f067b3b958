use crate::{Bounds, Compute, Device, Engine, Memory, MilliPercent, Misfit, Selectors, Slice};

/// What one container requests before anyone has decided. All amounts are per slice; whatever a dialect writes as
/// a total has been divided already.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ask {
    /// Slices, each on a different device.
    pub count: u32,
    pub memory: Bounds<Memory>,
    pub compute: Bounds<Compute>,
    /// Share of the video encoder, if any.
    pub encode: Option<MilliPercent>,
    /// Who goes first on the device: higher is sooner, 0 is normal.
    pub priority: i32,
    pub class: Class,
    pub policy: Policy,
    pub isolation: Isolation,
    pub selectors: Selectors,
}

impl Ask {
    /// `count` slices of that size, with everything else as usual.
    pub fn new(count: u32, memory: Memory, compute: Compute) -> Ask {
        Ask {
            count,
            memory: Bounds::exactly(memory),
            compute: Bounds::exactly(compute),
            encode: None,
            priority: 0,
            class: Class::default(),
            policy: Policy::default(),
            isolation: Isolation::default(),
            selectors: Selectors::default(),
        }
    }

    /// `count` whole devices.
    pub fn whole(count: u32) -> Ask {
        Ask { isolation: Isolation::Exclusive, ..Ask::new(count, Memory::WHOLE, Compute::WHOLE) }
    }

    /// One slice of this Ask on an empty `device`: relative values resolved, or why it could never fit there.
    /// What is already on the device is the scheduler's business.
    pub fn on(&self, device: &Device) -> Result<Slice, Misfit> {
        if !self.selectors.admit(device) {
            return Err(Misfit::NotSelected);
        }
        let memory_mib = Bounds {
            reserved: self.memory.reserved.on(device.memory_mib),
            ceiling: self.memory.ceiling.on(device.memory_mib),
        };
        if memory_mib.reserved > device.memory_mib {
            return Err(Misfit::Memory { wanted_mib: memory_mib.reserved, device_mib: device.memory_mib });
        }
        let share = |compute: Compute| compute.on(device.milli_tflops).ok_or(Misfit::Compute);
        let compute =
            Bounds { reserved: share(self.compute.reserved)?, ceiling: share(self.compute.ceiling)? };
        if self.encode.is_some() && !device.engines.has(Engine::Enc) {
            return Err(Misfit::NoEncoder);
        }
        Ok(Slice {
            device: device.uuid.clone(),
            memory_mib,
            compute,
            encode: self.encode,
            exclusive: self.isolation == Isolation::Exclusive,
        })
    }
}

/// Online work may take back at once what offline work uses beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Class {
    #[default]
    Online,
    Offline,
}

/// The mechanism that keeps tenants apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// In-process interception.
    #[default]
    Soft,
    /// Kernel boundary.
    Strict,
    /// A hardware partition.
    Hard,
    /// No sharing: the device belongs to this tenant alone.
    Exclusive,
    /// The device is elsewhere.
    Remote,
}

/// How the scheduler should choose among what fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Among nodes; `None` = the cluster's setting.
    pub node: Option<Packing>,
    /// Among the devices of a node; `None` = the cluster's setting.
    pub device: Option<Packing>,
    pub topology: TopologyWish,
}

/// Fill what is in use first, or use what is free first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    Binpack,
    Spread,
}

/// How the slices of one Ask should lie to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TopologyWish {
    /// Prefer the best-linked devices.
    pub linked: bool,
    /// All on one NUMA node, or not at all.
    pub one_numa: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> Device {
        Device { milli_tflops: 312_000, ..Device::new("GPU-1", "NVIDIA A100-SXM4-40GB", 40_960) }
    }

    #[test]
    fn relative_values_resolve_on_the_device() {
        let half = MilliPercent::percent(50).unwrap();
        let slice = Ask::new(1, Memory::Share(half), Compute::MilliTflops(78_000)).on(&card()).unwrap();
        assert_eq!(slice.memory_mib, Bounds::exactly(20_480));
        assert_eq!(slice.compute.reserved, MilliPercent::percent(25).unwrap());
    }

    #[test]
    fn what_can_never_fit_says_why() {
        let ask = Ask::new(1, Memory::Mib(50_000), Compute::NONE);
        assert_eq!(ask.on(&card()), Err(Misfit::Memory { wanted_mib: 50_000, device_mib: 40_960 }));
        assert_eq!(
            Ask::new(1, Memory::NONE, Compute::MilliTflops(400_000)).on(&card()),
            Err(Misfit::Compute)
        );
        let mut blind = card();
        blind.engines.enc = false;
        let encode = Ask { encode: MilliPercent::percent(10), ..Ask::new(1, Memory::NONE, Compute::NONE) };
        assert_eq!(encode.on(&blind), Err(Misfit::NoEncoder));
    }
}
