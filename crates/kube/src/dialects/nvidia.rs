//! The NVIDIA device plugin: whole GPUs, MIG partitions, and replicas where the cluster shares them.

use cleave_model::{Ask, Bounds, Compute, Isolation, Memory, MilliPercent, Selectors};

use crate::dialect::{Choice, Dialect, Key, Reading, Reads, asks, node, number, shown, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const COUNT: &str = "nvidia.com/gpu";
const SHARED: &str = "nvidia.com/gpu.shared";
const MIG: &str = "nvidia.com/mig-<profile>";

pub static NVIDIA: Dialect = Dialect {
    name: "nvidia",
    title: "NVIDIA device plugin",
    keys: KEYS,
    options: &[
        Choice {
            name: "sharing",
            default: "none",
            meaning: "what the plugin's sharing section says: none, time-slicing or mps",
            accepts: |v| matches!(v, "none" | "time-slicing" | "mps"),
        },
        Choice {
            name: "replicas",
            default: "0",
            meaning: "replicas per GPU, a whole number",
            accepts: number,
        },
        Choice {
            name: "fail-above-one",
            default: "false",
            meaning: "failRequestsGreaterThanOne: true or false",
            accepts: |v| matches!(v, "true" | "false"),
        },
    ],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "nvidia.com/gpu is whole GPUs, unless the options say that it is replicas.",
        "nvidia.com/gpu.shared is always replicas, and refused until the options say how many.",
        "An MPS replica is memory and compute divided by the replicas, and only one may be asked for.",
        "A time-slicing replica has no memory limit: its part is reserved, the whole device is the ceiling.",
        "MIG names are partitions, kept apart by the hardware; one kind of device per container.",
    ],
    reads: Reads::Limits,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(COUNT, "GPUs, or replicas by the option sharing"),
    asks(SHARED, "replicas, renamed by the plugin"),
    asks(MIG, "MIG partitions, such as 1g.5gb"),
    node("nvidia.com/device-plugin.config"),
    node("nvidia.com/mig.strategy"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let profiles = r.resources_like(c, MIG);
    let kinds =
        [r.has(c, COUNT), r.has(c, SHARED)].into_iter().filter(|there| *there).count() + profiles.len();
    if kinds > 1 {
        let key = profiles.first().map_or(SHARED.to_owned(), |p| MIG.replace("<profile>", p));
        return Err(r.refuse(c, &key, "is a second kind of device in one container"));
    }
    if let Some(profile) = profiles.first() {
        return partition(r, c, profile);
    }
    if r.has(c, SHARED) {
        let Some(count) = r.count(c, SHARED)?.filter(|n| *n > 0) else { return Ok(None) };
        return replicas(r, c, SHARED, count).map(Some);
    }
    let Some(count) = r.count(c, COUNT)?.filter(|n| *n > 0) else { return Ok(None) };
    if r.option("sharing") == "none" {
        Ok(Some(Ask::whole(count)))
    } else {
        replicas(r, c, COUNT, count).map(Some)
    }
}

fn replicas(r: &mut Reading<'_>, c: &Container<'_>, key: &str, count: u32) -> Result<Ask, Refusal> {
    let each = u32::try_from(r.number("replicas")).ok().filter(|n| *n > 1);
    let Some(each) = each else {
        return Err(r.refuse(c, key, "is a replica: set nvidia.sharing and nvidia.replicas"));
    };
    let Some(share) =
        MilliPercent::new(MilliPercent::WHOLE.thousandths() / each).filter(|s| s.thousandths() > 0)
    else {
        return Err(r.refuse(c, key, format!("of {each} replicas is less than a thousandth of a percent")));
    };
    match r.option("sharing") {
        "mps" if count > 1 => Err(r.refuse(c, key, "must be 1 where GPUs are shared by MPS")),
        "mps" => Ok(slices(1, Memory::Share(share), Bounds::exactly(Compute::Share(share)))),
        "time-slicing" if count > 1 && r.option("fail-above-one") == "true" => {
            Err(r.refuse(c, key, "must be 1: failRequestsGreaterThanOne is set"))
        }
        "time-slicing" => {
            let compute = Bounds { reserved: Compute::Share(share), ceiling: Compute::WHOLE };
            let memory = Bounds { reserved: Memory::Share(share), ceiling: Memory::WHOLE };
            Ok(Ask { memory, ..slices(count, Memory::Share(share), compute) })
        }
        _ => Err(r.refuse(c, key, "is a replica: set nvidia.sharing and nvidia.replicas")),
    }
}

fn partition(r: &mut Reading<'_>, c: &Container<'_>, profile: &str) -> Result<Option<Ask>, Refusal> {
    let key = MIG.replace("<profile>", profile);
    if !is_profile(profile) {
        return Err(r.refuse(c, &key, format!("names {}, which is not a MIG profile", shown(profile))));
    }
    let Some(count) = r.count(c, &key)?.filter(|n| *n > 0) else { return Ok(None) };
    Ok(Some(mig(count, profile)))
}

/// `count` whole partitions of a profile.
pub fn mig(count: u32, profile: &str) -> Ask {
    Ask {
        isolation: Isolation::Hard,
        selectors: Selectors { profile: Some(profile.into()), ..Selectors::default() },
        ..Ask::new(count, Memory::WHOLE, Compute::WHOLE)
    }
}

/// `1g.5gb`, `2g.10gb`, `1g.5gb.me`, `1c.3g.20gb`.
pub fn is_profile(text: &str) -> bool {
    let mut parts = text.split('.').peekable();
    let counted = |part: Option<&str>, unit: &str| {
        let digits = part.and_then(|p| p.strip_suffix(unit));
        digits.is_some_and(|d| !d.is_empty() && d.len() <= 4 && d.bytes().all(|b| b.is_ascii_digit()))
    };
    if parts.peek().is_some_and(|p| counted(Some(p), "c")) {
        parts.next();
    }
    counted(parts.next(), "g")
        && counted(parts.next(), "gb")
        && matches!((parts.next(), parts.next()), (None | Some("me"), None))
}
