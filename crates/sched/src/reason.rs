/// Why a node is no place for a pod. Later ones are nearer misses: a node is counted under the latest reason any of
/// its devices reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    NodeCordoned,
    /// The caller does not offer this node.
    NotOffered,
    NoDevices,
    Accountant,
    NotSelected,
    /// Larger than the device is when empty.
    TooLarge,
    NoReclaim,
    Unhealthy,
    DeviceCordoned,
    Cpu,
    HostMemory,
    InUse,
    Slots,
    Encode,
    Compute,
    Memory,
    /// Some devices fit, but not as many different ones as there are slices.
    TooFew,
    /// Enough devices fit, but not under one NUMA node.
    Numa,
}

impl Reason {
    /// The predicate after "N nodes".
    pub fn text(self) -> &'static str {
        match self {
            Reason::NodeCordoned => "are cordoned",
            Reason::NotOffered => "are not offered to this pod",
            Reason::NoDevices => "have no devices",
            Reason::Accountant => "have devices that another system counts",
            Reason::NotSelected => "have no device of those selected",
            Reason::TooLarge => "have no device as large as one slice",
            Reason::NoReclaim => "cannot take the engine back from offline work under this isolation",
            Reason::Unhealthy => "have unhealthy devices",
            Reason::DeviceCordoned => "have cordoned devices",
            Reason::Cpu => "lack CPU",
            Reason::HostMemory => "lack host memory",
            Reason::InUse => "have no device free for exclusive use or beside an exclusive tenant",
            Reason::Slots => "have the most slices a device may hold",
            Reason::Encode => "lack video encoder share",
            Reason::Compute => "lack compute on every device",
            Reason::Memory => "lack device memory on every device",
            Reason::TooFew => "have room, but on fewer devices than there are slices",
            Reason::Numa => "have room, but not under one NUMA node",
        }
    }
}
