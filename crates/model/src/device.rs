use crate::Version;

/// A GPU as a node sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub uuid: String,
    /// Position on its node.
    pub index: u32,
    pub vendor: String,
    /// The product name the driver reports.
    pub model: String,
    /// As its driver calls it, such as `Ampere`; `None` = not known.
    pub architecture: Option<String>,
    /// Compute capability; `None` = not known.
    pub capability: Option<Version>,
    /// Version of its driver; `None` = not known.
    pub driver: Option<Version>,
    pub memory_mib: u64,
    /// Speed in thousandths of a TFLOPS (FP16); 0 = not known, then an Ask in TFLOPS does not fit.
    pub milli_tflops: u64,
    pub engines: Engines,
    pub numa: Option<u16>,
    pub links: Vec<Link>,
    pub health: Health,
    /// Takes no new slices, keeps those it has.
    pub cordoned: bool,
    /// Most slices at once; engines and drivers have such limits.
    pub max_slices: u32,
    pub accountant: Accountant,
    /// Pool the device was put into, if any.
    pub pool: Option<String>,
    /// Set for a hardware partition: its profile, such as `1g.5gb`.
    pub profile: Option<String>,
}

impl Device {
    /// A healthy device with its engines free, its own accountant, and nothing special about it.
    pub fn new(uuid: impl Into<String>, model: impl Into<String>, memory_mib: u64) -> Device {
        Device {
            uuid: uuid.into(),
            index: 0,
            vendor: "NVIDIA".into(),
            model: model.into(),
            architecture: None,
            capability: None,
            driver: None,
            memory_mib,
            milli_tflops: 0,
            engines: Engines::all(),
            numa: None,
            links: Vec::new(),
            health: Health::Healthy,
            cordoned: false,
            max_slices: 64,
            accountant: Accountant::Extender,
            pool: None,
            profile: None,
        }
    }

    /// Whether new slices may be put here at all.
    pub fn open(&self) -> bool {
        self.health == Health::Healthy && !self.cordoned
    }
}

/// A part of a device that work is submitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Compute and graphics.
    Gr,
    /// Video encoder.
    Enc,
    /// Video decoder.
    Dec,
}

/// Which engines a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Engines {
    pub gr: bool,
    pub enc: bool,
    pub dec: bool,
}

impl Engines {
    pub const fn all() -> Engines {
        Engines { gr: true, enc: true, dec: true }
    }

    pub const fn has(self, engine: Engine) -> bool {
        match engine {
            Engine::Gr => self.gr,
            Engine::Enc => self.enc,
            Engine::Dec => self.dec,
        }
    }
}

/// A path from this device to another of its node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The other device's uuid.
    pub to: String,
    pub kind: LinkKind,
}

/// Fastest last, so that the greater one is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// Across sockets.
    System,
    /// Through the host bridge of one socket.
    Node,
    /// Through one PCIe switch.
    Pcie,
    /// NVLink, with the number of lanes.
    NvLink(u8),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    Healthy,
    /// With the reason, for the sentence a person reads.
    Unhealthy(String),
}

/// Who counts a device's slices. Exactly one, changed only when the device is empty: the DRA allocator and an
/// extender do not see each other's commits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Accountant {
    /// The DRA allocator of kube-scheduler.
    Dra,
    /// Our extender.
    Extender,
    /// Another system, by name.
    Foreign(String),
}
