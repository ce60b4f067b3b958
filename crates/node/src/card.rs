//! Devices as their driver shows them to the daemon.

use crate::protocol::Kind;

/// One device, looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub uuid: String,
    pub name: String,
    pub kind: Kind,
    /// All memory it has.
    pub total: u64,
    /// What of it the driver keeps for itself.
    pub kept: u64,
    /// Who holds memory of it; None if the driver does not say.
    pub holders: Option<Vec<Holder>>,
    pub mode: Mode,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub pid: u32,
    pub memory: u64,
}

/// Who may use the device, as its driver is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Shared,
    /// One process at a time.
    Exclusive,
    /// Nobody.
    Prohibited,
    /// It is divided into instances (MIG), which are devices in its place.
    Partitioned,
}

impl Mode {
    /// Whether anything of the device can be given out.
    pub fn is_grantable(self) -> bool {
        !matches!(self, Mode::Prohibited | Mode::Partitioned)
    }
}

/// A driver that shows devices.
pub trait Devices: Send {
    /// Every device as it is now, in the driver's order; or why there are none.
    fn look(&mut self) -> Result<Vec<Card>, String>;
}
