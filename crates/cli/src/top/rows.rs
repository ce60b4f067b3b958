//! Grants, device by device, in an order.

use std::cmp::Ordering;

use clap::ValueEnum;
use cleave_node::protocol::{DeviceStatus, GrantStatus, Lifetime, Status, TenantStatus};

use super::tone::Tone;

/// What grants are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    #[default]
    Name,
    Asked,
    Got,
    Waiting,
    Memory,
}

impl Sort {
    pub fn word(self) -> &'static str {
        match self {
            Sort::Name => "name",
            Sort::Asked => "asked",
            Sort::Got => "got",
            Sort::Waiting => "waiting",
            Sort::Memory => "memory",
        }
    }

    pub fn next(self) -> Sort {
        let all = Sort::value_variants();
        let at = all.iter().position(|sort| *sort == self).unwrap_or(0);
        all[(at + 1) % all.len()]
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Order {
    pub sort: Sort,
    pub reversed: bool,
}

impl Order {
    /// Names from a to z, amounts from the largest; the same amount by name, so that nothing jumps about.
    fn compare(self, one: &Row, other: &Row) -> Ordering {
        let amount = |amount: fn(&GrantStatus) -> f64| amount(other.grant).total_cmp(&amount(one.grant));
        let ordering = match self.sort {
            Sort::Name => Ordering::Equal,
            Sort::Asked => other.grant.compute.cmp(&one.grant.compute),
            Sort::Got => amount(|grant| grant.got_percent),
            Sort::Waiting => amount(|grant| grant.waiting_percent),
            Sort::Memory => other.grant.used.cmp(&one.grant.used),
        };
        let key = |row: &Row| (row.tenant.name.clone(), row.tenant.id.clone());
        let ordering = ordering.then_with(|| key(one).cmp(&key(other)));
        if self.reversed { ordering.reverse() } else { ordering }
    }
}

/// A grant, and whose it is.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub tenant: &'a TenantStatus,
    pub grant: &'a GrantStatus,
    /// The name of the tenant it is inside of.
    pub outer: Option<&'a str>,
}

/// As the daemon writes it.
const BEST_EFFORT: &str = "best-effort";

impl Row<'_> {
    pub fn asked(&self) -> String {
        if self.grant.policy == BEST_EFFORT { "-".into() } else { format!("{}%", self.grant.compute) }
    }

    /// The policy without its numbers, and what goes before it.
    pub fn policy(&self) -> String {
        let word = self.grant.policy.split('=').next().unwrap_or_default();
        if self.grant.latency { format!("{word} latency") } else { word.into() }
    }

    pub fn priority(&self) -> String {
        if self.grant.priority == 0 { "0".into() } else { format!("{:+}", self.grant.priority) }
    }

    /// It waits, and does not get what it asked for.
    pub fn falls_short(&self) -> bool {
        let GrantStatus { got_percent, waiting_percent, .. } = self.grant;
        let asked = f64::from(self.grant.compute);
        !self.grant.paused && *waiting_percent > 10.0 && *got_percent < asked * 0.9 - 1.0
    }

    /// What is out of the ordinary.
    pub fn state(&self) -> (String, Tone) {
        if self.tenant.trouble.is_some() {
            return ("trouble".into(), Tone::Bad);
        }
        if self.grant.not_preemptible {
            return ("not preemptible".into(), Tone::Bad);
        }
        match (self.grant.paused, self.grant.on_host) {
            (true, true) => return ("paused, on host".into(), Tone::Warn),
            (true, false) => return ("paused".into(), Tone::Warn),
            (false, true) => return ("on host".into(), Tone::Plain),
            (false, false) => {}
        }
        let text = match (self.outer, self.tenant.lifetime, self.tenant.running) {
            (Some(outer), ..) => format!("in {outer}"),
            (None, Lifetime::Grant, _) => "grant".into(),
            (None, _, true) => String::new(),
            (None, _, false) => "children".into(),
        };
        (text, Tone::Quiet)
    }

    /// The same in a letter: of trouble, of a pause, and of work that goes first.
    pub fn mark(&self) -> (String, Tone) {
        match self.state() {
            (_, Tone::Bad) => ("!".into(), Tone::Bad),
            (_, Tone::Warn) => ("P".into(), Tone::Warn),
            _ if self.grant.latency => ("L".into(), Tone::Plain),
            _ => (String::new(), Tone::Plain),
        }
    }
}

/// A device and the grants on it.
pub struct Section<'a> {
    pub uuid: &'a str,
    /// None if the daemon does not see it any more.
    pub device: Option<&'a DeviceStatus>,
    pub rows: Vec<Row<'a>>,
}

pub fn sections(status: &Status, order: Order) -> Vec<Section<'_>> {
    let devices = status.devices.iter();
    let mut sections: Vec<Section> = devices
        .map(|device| Section { uuid: &device.uuid, device: Some(device), rows: Vec::new() })
        .collect();
    for tenant in &status.tenants {
        let outer = tenant.parent.as_ref().map(|id| {
            let outer = status.tenants.iter().find(|tenant| &tenant.id == id);
            outer.map_or(id.as_str(), |outer| outer.name.as_str())
        });
        for grant in &tenant.grants {
            let row = Row { tenant, grant, outer };
            match sections.iter_mut().find(|section| section.uuid == grant.device) {
                Some(section) => section.rows.push(row),
                None => sections.push(Section { uuid: &grant.device, device: None, rows: vec![row] }),
            }
        }
    }
    sections.iter_mut().for_each(|section| section.rows.sort_by(|one, other| order.compare(one, other)));
    sections
}

/// Enough of a UUID to tell devices apart.
pub fn short(uuid: &str) -> &str {
    uuid.get(..12).unwrap_or(uuid)
}

/// A name as it can be written on a terminal: tenants choose their names, and what they put into them is theirs.
pub fn clean(name: &str) -> String {
    // Also those that turn the direction of writing around.
    let moves = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    name.chars().map(|c| if moves(c) { '?' } else { c }).collect()
}
