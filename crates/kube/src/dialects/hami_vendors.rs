//! HAMi's other vendors: the same shape under other names. Values are per slice.

use cleave_model::{Ask, Isolation, Memory, MilliPercent};

use crate::dialect::{Reading, compute_or_rest, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

/// One vendor: its count, and what sizes a slice.
struct Vendor {
    name: &'static str,
    count: &'static str,
    /// Key and MiB per unit.
    memory: Option<(&'static str, u64)>,
    cores: Option<&'static str>,
}

const VENDORS: &[Vendor] = &[
    Vendor {
        name: "Cambricon",
        count: "cambricon.com/vmlu",
        memory: Some(("cambricon.com/mlu.smlu.vmemory", 256)),
        cores: Some("cambricon.com/mlu.smlu.vcore"),
    },
    Vendor {
        name: "Hygon",
        count: "hygon.com/dcunum",
        memory: Some(("hygon.com/dcumem", 1)),
        cores: Some("hygon.com/dcucores"),
    },
    Vendor {
        name: "MetaX",
        count: "metax-tech.com/sgpu",
        memory: Some(("metax-tech.com/vmemory", 1024)),
        cores: Some("metax-tech.com/vcore"),
    },
    Vendor {
        name: "Enflame",
        count: "enflame.com/drs-gcu",
        memory: Some(("enflame.com/gcu-memory", 1)),
        cores: Some("enflame.com/gcu-core"),
    },
    Vendor { name: "Kunlunxin", count: "kunlunxin.com/xpu", memory: None, cores: None },
    Vendor {
        name: "Kunlunxin",
        count: "kunlunxin.com/vxpu",
        memory: Some(("kunlunxin.com/vxpu-memory", 1)),
        cores: None,
    },
    Vendor { name: "Vastai", count: "vastaitech.com/va", memory: None, cores: None },
    Vendor { name: "Biren", count: "birentech.com/gpu", memory: None, cores: None },
];

/// What a container asks of one of these vendors, with the key that says so.
pub fn read(
    reading: &mut Reading<'_>,
    container: &Container<'_>,
) -> Result<Option<(&'static str, Ask)>, Refusal> {
    let mut found: Option<(&'static str, Ask)> = None;
    for vendor in VENDORS {
        let Some(ask) = read_vendor(reading, container, vendor)? else { continue };
        if found.replace((vendor.count, ask)).is_some() {
            return Err(reading.refuse(
                container,
                vendor.count,
                "asks for a second kind of device in one container",
            ));
        }
    }
    Ok(found)
}

fn read_vendor(
    reading: &mut Reading<'_>,
    container: &Container<'_>,
    vendor: &Vendor,
) -> Result<Option<Ask>, Refusal> {
    let count = reading.count(container, vendor.count)?;
    let memory = match vendor.memory {
        Some((key, mib)) => {
            let units = reading.units(container, key)?.filter(|u| *u > 0);
            units.map(|u| reading.mib(container, key, u, mib)).transpose()?
        }
        None => None,
    };
    let cores = match vendor.cores {
        Some(key) => {
            reading.units(container, key)?.map(|p| reading.percent(container, key, p)).transpose()?
        }
        None => None,
    };
    let sized = memory.is_some() || cores.is_some();
    let count = match count {
        Some(0) => return Ok(None),
        Some(_) if vendor.name == "Enflame" && !sized => {
            return Err(reading.refuse(
                container,
                vendor.count,
                "counts slices of the vendor's own size: name memory and cores",
            ));
        }
        Some(count) => count,
        None if sized => 1,
        None => return Ok(None),
    };
    let mut ask = match (memory, cores) {
        (None, None) => Ask::whole(count),
        (memory, cores) => slices(
            count,
            memory.map_or(Memory::WHOLE, Memory::Mib),
            compute_or_rest(cores.unwrap_or(MilliPercent::NONE)),
        ),
    };
    if cores == Some(MilliPercent::WHOLE) {
        ask.isolation = Isolation::Exclusive;
    }
    ask.selectors.vendor = Some(vendor.name.into());
    Ok(Some(ask))
}
