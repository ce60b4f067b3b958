//! The NVIDIA DRA driver: claims for whole GPUs, MIG partitions, and memory of a shared GPU.

use cleave_model::{Ask, Memory};

use super::nvidia::{is_profile, mig};
use crate::claims::Request;
use crate::dialect::{Claims, Dialect, REST, Reads, slices};
use crate::refusal::Remark;

pub static NVIDIA_DRA: Dialect = Dialect {
    name: "nvidia-dra",
    title: "NVIDIA DRA driver",
    keys: &[],
    options: &[],
    schedulers: &[],
    claims: Some(Claims { classes: &["gpu.nvidia.com", "mig.nvidia.com"], read }),
    verdicts: &[
        "gpu.nvidia.com without a capacity is whole GPUs; with a capacity of memory it is that much of one (ConsumableShares).",
        "mig.nvidia.com needs a selector that names one profile.",
        "A capacity of shares is refused: a share has no size. Other CEL selectors are lost.",
    ],
    reads: Reads::Limits,
    read: |_| Ok(()),
};

fn read(request: &Request<'_>, lost: &mut Vec<Remark>) -> Result<Ask, Remark> {
    if request.class == "mig.nvidia.com" {
        let profile = match request.selectors.as_slice() {
            [one] => profile_in(one).ok_or("selectors do not name one profile"),
            _ => Err("one selector must name the profile"),
        };
        return profile.map(|p| mig(request.count, p)).map_err(|why| ("selectors".into(), why.into()));
    }
    if !request.selectors.is_empty() {
        lost.push((
            "selectors".into(),
            "are CEL, which is not translated: say models or uuids instead".into(),
        ));
    }
    if request.capacity("shares")?.is_some() {
        return Err(("shares".into(), "have no size: ask for memory".into()));
    }
    match request.bytes("memory", lost)? {
        Some(mib) => Ok(slices(request.count, Memory::Mib(mib), REST)),
        None => Ok(Ask::whole(request.count)),
    }
}

/// The profile of `device.attributes['gpu.nvidia.com'].profile == '1g.5gb'`, and of nothing more than that.
fn profile_in(expression: &str) -> Option<&str> {
    let (left, right) = expression.split_once("==")?;
    let left = left.trim();
    let named = left.starts_with("device.attributes[") && left.ends_with("].profile") && left.len() < 60;
    let text = right.trim();
    let quoted = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
    let quoted = quoted.or_else(|| text.strip_prefix('"').and_then(|t| t.strip_suffix('"')))?;
    (named && is_profile(quoted)).then_some(quoted)
}
