use crate::{Class, Isolation, Slice};

/// Who uses a device: one container of one pod, by the pod's UID, because names come back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tenant {
    pub pod_uid: String,
    pub container: String,
}

/// What one tenant may use of one device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    pub tenant: Tenant,
    pub slice: Slice,
    /// Higher is sooner, 0 is normal.
    pub priority: i32,
    pub class: Class,
    pub isolation: Isolation,
}
