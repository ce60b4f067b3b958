//! Limits that schedulers made for HAMi-core write into a container's environment (HAMi, Volcano, koordinator, KAI).
//!
//! They count where no daemon keeps a record of the container. Where one does, the record counts and the environment can
//! only lower it. `CUDA_DISABLE_CONTROL` is not among them: a limit that its holder may switch off is none.
//!
//! The container's first process still has what the container was started with. A process that was started without it (a
//! login, a cleared environment) or with something else is held to that; its own variables can only lower it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use cleave_slot::{Slot, Uuid};

/// The container's devices in NVML's order.
mod devices;
/// What the variables say.
mod limits;
/// The slots that a container's processes make for themselves.
mod slots;
/// Calls that the standard library does not have.
#[allow(unsafe_code)]
mod sys_unsafe;

pub use limits::{Limit, Unclear};

use limits::Limits;
use slots::Place;

const CACHE: &str = "CUDA_DEVICE_MEMORY_SHARED_CACHE";
const VISIBLE: &str = "NVIDIA_VISIBLE_DEVICES";

type Variables = Vec<(OsString, OsString)>;

/// A container with limits.
#[derive(Debug)]
pub struct Container {
    /// What each environment says; a device has the lowest of it.
    limits: Vec<Limits>,
    /// The file that HAMi-core's processes would share.
    cache: Option<OsString>,
    /// The devices that the container was given.
    visible: Option<OsString>,
}

impl Container {
    /// The container that this process runs in; `None` if it has no limits.
    pub fn read() -> Result<Option<Container>, Unclear> {
        let first = std::fs::read("/proc/1/environ").unwrap_or_default();
        Container::of(variables(first), std::env::vars_os().collect())
    }

    /// From the variables of the container's first process and from our own. If the first has no limits it is a machine's, or
    /// one that cannot be looked at, and ours count alone.
    fn of(first: Variables, own: Variables) -> Result<Option<Container>, Unclear> {
        let mut limits = Vec::new();
        let mut said = Vec::new();
        for variables in [first, own] {
            if let Some(found) = Limits::read(&variables)? {
                limits.push(found);
                said.extend(variables);
            }
        }
        // Where several say it, the first process's words hold: who may choose the place has a fresh account in it.
        let value = |name: &str| {
            let mut values =
                said.iter().filter(|(known, text)| known == OsStr::new(name) && !text.is_empty());
            values.next().map(|(_, text)| text.clone())
        };
        let (cache, visible) = (value(CACHE), value(VISIBLE));
        Ok(Some(Container { limits, cache, visible }).filter(|container| !container.limits.is_empty()))
    }

    /// The limits of the device with a number.
    pub fn limit(&self, number: usize) -> Limit {
        let each = self.limits.iter().map(|limits| limits.of(number));
        each.fold(Limit::NONE, Limit::lower)
    }

    /// The slots of its devices, in the order that the limits number them.
    pub fn slots(&self) -> Result<Vec<Slot>, String> {
        let devices = match order(self.visible.as_deref().and_then(OsStr::to_str)) {
            Some(devices) => devices,
            None => devices::by_number()?,
        };
        let place =
            Place::new(self.cache.as_deref().map(Path::new), &std::env::temp_dir(), sys_unsafe::user());
        devices
            .into_iter()
            .enumerate()
            .map(|(number, device)| place.slot(device, self.limit(number)))
            .collect()
    }
}

/// The variables in what the system shows of a process.
fn variables(environment: Vec<u8>) -> Variables {
    let texts = environment.split(|&byte| byte == 0);
    let pair = |text: &[u8]| {
        let at = text.iter().position(|&byte| byte == b'=')?;
        Some((OsString::from_vec(text[..at].to_vec()), OsString::from_vec(text[at + 1..].to_vec())))
    };
    texts.filter_map(pair).collect()
}

/// The container's devices in the order that the limits number them, where the container runtime was given their
/// identifiers: the scheduler wrote both lists in one go.
fn order(visible: Option<&str>) -> Option<Vec<Uuid>> {
    visible?.split(',').map(|entry| entry.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(first: &[u8], own: &[u8]) -> Option<Container> {
        Container::of(variables(first.to_vec()), variables(own.to_vec())).expect("clear")
    }

    const GIVEN: &[u8] =
        b"PATH=/bin\0CUDA_DEVICE_MEMORY_LIMIT=8m\0CUDA_DEVICE_SM_LIMIT=30\0CUDA_DEVICE_MEMORY_SHARED_CACHE=/a\0";

    #[test]
    fn what_the_container_was_given_can_only_be_lowered() {
        let limit = |own: &[u8]| container(GIVEN, own).expect("limits").limit(0);
        let given = Limit { memory: Some(8 << 20), compute: 30 };
        assert_eq!(limit(b""), given, "a login without variables");
        assert_eq!(limit(b"CUDA_DEVICE_MEMORY_LIMIT=0\0CUDA_DEVICE_SM_LIMIT=90\0"), given);
        assert_eq!(limit(b"CUDA_DEVICE_MEMORY_LIMIT_0=4m\0"), Limit { memory: Some(4 << 20), compute: 30 });
    }

    #[test]
    fn the_place_is_the_containers() {
        let own =
            b"CUDA_DEVICE_MEMORY_LIMIT=8m\0CUDA_DEVICE_MEMORY_SHARED_CACHE=/b\0NVIDIA_VISIBLE_DEVICES=all";
        let both = container(GIVEN, own).expect("limits");
        assert_eq!((both.cache, both.visible), (Some("/a".into()), Some("all".into())));
        let alone = container(b"PATH=/bin\0NVIDIA_VISIBLE_DEVICES=0\0nonsense\0", own).expect("limits");
        assert_eq!((alone.cache, alone.visible), (Some("/b".into()), Some("all".into())));
        assert!(container(b"", b"PATH=/bin\0").is_none());
    }

    #[test]
    fn identifiers_give_the_order() {
        let (a, b) = (Uuid::Gpu([0xaa; 16]), Uuid::Gpu([0xbb; 16]));
        assert_eq!(order(Some(&format!("{b}, {a}"))), Some(vec![b, a]));
        assert_eq!(order(Some("all")), None);
        assert_eq!(order(Some("0,1")), None);
        assert_eq!(order(None), None);
    }
}
