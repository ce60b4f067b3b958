//! `CUDA_VISIBLE_DEVICES` of a tenant: a list of its own devices, not of the machine's.
//!
//! The driver reads the variable once, in its first cuInit, and knows the machine's numbers only. So what the program wrote
//! is read as numbers (or identifiers) of the grant, and the driver is shown the identifiers meant by it.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use cleave_api::cuda::types::*;
use cleave_slot::Uuid;

use crate::environment_unsafe;
use crate::nvml::instances::Instance;
use crate::tenancy::Tenancy;

const NAME: &str = "CUDA_VISIBLE_DEVICES";

/// Whether the driver has read the variable: it does so once, and further calls of cuInit cost nothing here.
static READ: AtomicBool = AtomicBool::new(false);

/// Calls the driver's `init` with the tenant's devices in view. The program's own variable is as before afterwards.
pub fn during(tenancy: &Tenancy, init: impl FnOnce() -> CUresult) -> CUresult {
    let Tenancy::Tenant(grants) = tenancy else { return init() };
    if READ.load(Relaxed) {
        return init();
    }
    let grant: Vec<Uuid> = grants.iter().map(|grant| grant.device).collect();
    let asked = std::env::var_os(NAME);
    let code = match translate(
        asked.as_ref().map(|asked| asked.to_string_lossy()).as_deref(),
        &grant,
        Instance::named,
    ) {
        Some(told) => environment_unsafe::with(NAME, &told, init),
        None => init(),
    };
    READ.fetch_or(code == CUDA_SUCCESS, Relaxed);
    code
}

/// What the driver shows when it shall show nothing.
const NOTHING: &str = "-1";

/// What the driver has to be told so that the program sees what it asked for of `grant`; `None` if it already is told.
/// A program that asks for nothing in particular sees its whole grant. `place` says where an instance lies.
fn translate(asked: Option<&str>, grant: &[Uuid], place: fn(&Uuid) -> Option<Instance>) -> Option<String> {
    let seen = match asked {
        Some(list) => choose(list, grant, place),
        None => grant.to_vec(),
    };
    let told = match seen.is_empty() {
        true => NOTHING.to_owned(),
        false => seen.iter().map(Uuid::to_string).collect::<Vec<_>>().join(","),
    };
    (asked != Some(&told)).then_some(told)
}

/// As the driver reads its list: in the list's order, up to the first entry that names no device of the grant; naming one
/// twice leaves none.
fn choose(list: &str, grant: &[Uuid], place: fn(&Uuid) -> Option<Instance>) -> Vec<Uuid> {
    let mut seen = Vec::new();
    for entry in list.split(',') {
        let Some(device) = find(entry.trim(), grant, place) else { break };
        if seen.contains(&device) {
            return Vec::new();
        }
        seen.push(device);
    }
    seen
}

fn find(entry: &str, grant: &[Uuid], place: fn(&Uuid) -> Option<Instance>) -> Option<Uuid> {
    let entry = entry.to_ascii_lowercase();
    if let Some(older) = entry.strip_prefix("mig-").filter(|rest| rest.starts_with("gpu-")) {
        return only(grant, |device| {
            matches!(device, Uuid::Mig(_)) && place(device).is_some_and(|place| lies(&place, older))
        });
    }
    if entry.starts_with("gpu-") || entry.starts_with("mig-") {
        return only(grant, |device| device.to_string().to_ascii_lowercase().starts_with(&entry));
    }
    // As strtol reads it: digits up to the first other character.
    let digits = entry.split(|c: char| !c.is_ascii_digit()).next()?;
    grant.get(digits.parse::<usize>().ok()?).copied()
}

/// The one device that is meant; a name that could be of several means none.
fn only(grant: &[Uuid], is_meant: impl Fn(&Uuid) -> bool) -> Option<Uuid> {
    let mut meant = grant.iter().filter(|device| is_meant(device));
    let device = meant.next()?;
    meant.next().is_none().then_some(*device)
}

/// Whether an instance is the one that is named as drivers did before instances had names: device, GPU instance and compute
/// instance.
fn lies(place: &Instance, name: &str) -> bool {
    let mut parts = name.split('/');
    let device = parts.next().is_some_and(|start| place.device.to_ascii_lowercase().starts_with(start));
    let [gpu, compute] = [0; 2].map(|_| parts.next().and_then(|number| number.parse().ok()));
    device && (gpu, compute) == (Some(place.gpu), Some(place.compute)) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Uuid = Uuid::Gpu([0xaa; 16]);
    const B: Uuid = Uuid::Gpu([0xab; 16]);

    /// On a machine without instances.
    fn translate(asked: Option<&str>, grant: &[Uuid]) -> Option<String> {
        super::translate(asked, grant, |_| None)
    }

    fn told(asked: Option<&str>) -> String {
        translate(asked, &[B, A]).unwrap_or_else(|| asked.unwrap_or_default().to_owned())
    }

    #[test]
    fn numbers_are_those_of_the_grant() {
        assert_eq!(told(Some("0")), B.to_string());
        assert_eq!(told(Some("1")), A.to_string());
        assert_eq!(told(Some(" 1 , 0")), format!("{A},{B}"));
        assert_eq!(told(None), format!("{B},{A}"), "without the variable it is the whole grant");
    }

    #[test]
    fn identifiers_may_be_short_but_not_unclear() {
        assert_eq!(told(Some("gpu-AAAA,0")), format!("{A},{B}"));
        assert_eq!(told(Some("GPU-a")), "-1", "both begin so");
        assert_eq!(told(Some("GPU-")), "-1");
        assert_eq!(translate(Some("GPU-"), &[A]), Some(A.to_string()));
    }

    #[test]
    fn instances_have_names_of_two_kinds() {
        const ONE: Uuid = Uuid::Mig([0xaa; 16]);
        const TWO: Uuid = Uuid::Mig([0xcd; 16]);
        let place = |device: &Uuid| {
            let gpu = if *device == ONE { 1 } else { 12 };
            Some(Instance { device: B.to_string(), gpu, compute: 0 })
        };
        let told = |asked: &str| super::translate(Some(asked), &[ONE, A, TWO], place).expect("another word");
        assert_eq!(told("2,0"), format!("{TWO},{ONE}"));
        assert_eq!(told("mig-CDCD"), TWO.to_string());
        assert_eq!(told("MIG-aaaa"), ONE.to_string(), "a whole device begins alike");
        assert_eq!(told("GPU-aaaa"), A.to_string());
        assert_eq!(told("MIG-"), "-1", "both begin so");
        assert_eq!(told(&format!("MIG-{B}/12/0")), TWO.to_string());
        assert_eq!(told("MIG-GPU-abab/1/0,1"), format!("{ONE},{A}"));
        for nothing in ["/1", "/1/", "/1/1", "/1/0/0", "/2/0", "x/1/0", ""] {
            assert_eq!(told(&format!("MIG-{B}{nothing}")), "-1", "{nothing:?}");
        }
        assert_eq!(told(&format!("MIG-{A}/1/0")), "-1", "of another device");
    }

    #[test]
    fn a_list_ends_where_it_stops_making_sense() {
        assert_eq!(told(Some("0,7,1")), B.to_string());
        for nothing in
            ["", "-1", "NoDevFiles", "7,0", "0,0", "GPU-cc,0", "MIG-aaaa,0", "99999999999999999999"]
        {
            assert_eq!(told(Some(nothing)), "-1", "{nothing:?}");
        }
        assert_eq!(told(Some("1x")), A.to_string(), "as strtol reads it");
    }

    #[test]
    fn what_is_right_already_stays() {
        assert_eq!(translate(Some(&format!("{B},{A}")), &[B, A]), None);
        assert_eq!(translate(Some(&A.to_string()), &[B, A]), None);
        assert_eq!(translate(Some("-1"), &[B, A]), None);
        assert_eq!(translate(Some("0"), &[]), Some("-1".into()), "a tenant without a device");
    }
}
