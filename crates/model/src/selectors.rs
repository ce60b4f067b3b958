use crate::{Device, Span, Version};

/// Which devices a tenant accepts. Empty lists accept all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selectors {
    /// The model must contain one of these, in any letter case.
    pub models: Vec<String>,
    /// The model must contain none of these, in any letter case.
    pub not_models: Vec<String>,
    /// The model must be one of these, to the letter.
    pub names: Vec<String>,
    /// The model must be none of these, to the letter.
    pub not_names: Vec<String>,
    /// The architecture must be one of these, to the letter.
    pub architectures: Vec<String>,
    pub uuids: Vec<String>,
    pub not_uuids: Vec<String>,
    /// Positions on the node.
    pub indices: Vec<u32>,
    pub vendor: Option<String>,
    pub pool: Option<String>,
    /// A hardware partition of this profile, such as `1g.5gb`.
    pub profile: Option<String>,
    /// The marketed size in GiB, of which a device shows a little less.
    pub size_gib: Option<u32>,
    /// Compute capability.
    pub capability: Span<Version>,
    /// Version of the driver.
    pub driver: Span<Version>,
    /// Memory the device has, in MiB.
    pub memory_mib: Span<u64>,
}

impl Selectors {
    /// Whether this device is among those accepted.
    pub fn admit(&self, device: &Device) -> bool {
        let model = device.model.to_lowercase();
        let within = |part: &String| model.contains(&part.to_lowercase());
        (self.models.is_empty() || self.models.iter().any(within))
            && !self.not_models.iter().any(within)
            && (self.names.is_empty() || self.names.contains(&device.model))
            && !self.not_names.contains(&device.model)
            && (self.architectures.is_empty()
                || device.architecture.as_ref().is_some_and(|known| self.architectures.contains(known)))
            && (self.uuids.is_empty() || self.uuids.contains(&device.uuid))
            && !self.not_uuids.contains(&device.uuid)
            && (self.indices.is_empty() || self.indices.contains(&device.index))
            && self.vendor.as_ref().is_none_or(|v| v.eq_ignore_ascii_case(&device.vendor))
            && self.pool.as_ref().is_none_or(|p| device.pool.as_ref() == Some(p))
            && self.profile == device.profile
            && self.size_gib.is_none_or(|gib| marketed_as(device.memory_mib, gib))
            && self.capability.holds(device.capability)
            && self.driver.holds(device.driver)
            && self.memory_mib.holds(Some(device.memory_mib))
    }
}

/// A "16 GB" card shows 15 360 MiB and a "40 GB" one 40 536: the driver and ECC keep up to a tenth.
fn marketed_as(memory_mib: u64, gib: u32) -> bool {
    let size = u64::from(gib) * 1024;
    memory_mib <= size + size / 20 && memory_mib >= size - size / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> Device {
        Device::new("GPU-1", "NVIDIA A100-SXM4-40GB", 40_536)
    }

    #[test]
    fn models_match_as_parts_in_any_case() {
        let wants = |models: &[&str], not: &[&str]| Selectors {
            models: models.iter().map(|m| m.to_string()).collect(),
            not_models: not.iter().map(|m| m.to_string()).collect(),
            ..Selectors::default()
        };
        assert!(wants(&["a100"], &[]).admit(&card()));
        assert!(wants(&["H100", "A100"], &[]).admit(&card()));
        assert!(!wants(&["H100"], &[]).admit(&card()));
        assert!(!wants(&[], &["a100-sxm"]).admit(&card()));
    }

    #[test]
    fn what_is_not_known_is_not_selected() {
        let known = Device {
            architecture: Some("Ampere".into()),
            capability: Some(Version(8, 0, 0)),
            driver: Some(Version(535, 104, 5)),
            ..card()
        };
        let from = |version| Span { from: Some(version), below: None };
        let checks = [
            Selectors { names: vec![card().model], ..Selectors::default() },
            Selectors { not_names: vec!["NVIDIA A100".into()], ..Selectors::default() },
            Selectors {
                memory_mib: Span { from: Some(40_536), below: Some(40_537) },
                ..Selectors::default()
            },
        ];
        assert!(checks.iter().all(|selectors| selectors.admit(&card()) && selectors.admit(&known)));
        let checks = [
            Selectors { architectures: vec!["Ampere".into(), "Ada".into()], ..Selectors::default() },
            Selectors { capability: from(Version(7, 5, 0)), ..Selectors::default() },
            Selectors { driver: from(Version(535, 0, 0)), ..Selectors::default() },
        ];
        assert!(checks.iter().all(|selectors| !selectors.admit(&card()) && selectors.admit(&known)));
        assert!(!Selectors { names: vec!["NVIDIA A100".into()], ..Selectors::default() }.admit(&known));
        assert!(!Selectors { driver: from(Version(550, 0, 0)), ..Selectors::default() }.admit(&known));
    }

    #[test]
    fn partitions_only_when_asked_for() {
        let mut part = card();
        part.profile = Some("1g.5gb".into());
        assert!(!Selectors::default().admit(&part));
        assert!(Selectors { profile: part.profile.clone(), ..Selectors::default() }.admit(&part));
    }

    #[test]
    fn sizes_are_marketed_sizes() {
        assert!(Selectors { size_gib: Some(40), ..Selectors::default() }.admit(&card()));
        assert!(!Selectors { size_gib: Some(80), ..Selectors::default() }.admit(&card()));
        assert!(marketed_as(15_360, 16) && !marketed_as(15_360, 24));
    }
}
