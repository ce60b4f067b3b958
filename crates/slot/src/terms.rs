//! What a grant says.

use crate::uuid::Uuid;

/// What one tenant may use of one device, as the node has written it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// Which device.
    pub device: Uuid,
    /// Bytes of device memory the tenant may hold.
    pub memory: u64,
    /// Percent of the compute and graphics engine.
    pub compute: u32,
    /// Percent of the encoder.
    pub encode: u32,
    /// Percent of the decoder.
    pub decode: u32,
    /// Who goes first.
    pub priority: i32,
    /// How the compute share is kept; the node's number.
    pub policy: u32,
    /// Bytes of memory the device has.
    pub device_total: u64,
    /// Bytes a context takes on the device, as learnt; 0 as long as nobody knows.
    pub context: u64,
}

/// Who writes into a slot besides the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// A user and its group: nobody else gets in.
    Uid(u32, u32),
    /// Whoever the folder is shown to: a container, whose users the node does not know. The folder's name should not be
    /// guessable.
    Anyone,
}
