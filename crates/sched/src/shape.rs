use cleave_model::{Ask, Class, Device, Misfit};

use crate::card::{Need, may_be_taken_back};
use crate::cluster::Cluster;
use crate::room::Size;
use crate::{Reason, Want};

/// A Want made ready for many nodes: each Ask resolved once per class of device instead of once per device.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub want: Want,
    pub size: Size,
    /// `needs[ask][class]`
    needs: Vec<Vec<Result<Need, Reason>>>,
}

impl Shape {
    pub fn new(want: Want, cluster: &Cluster) -> Shape {
        let needs: Vec<Vec<_>> = want
            .asks
            .iter()
            .map(|ask| {
                let bare = by_class(ask);
                cluster.classes.iter().map(|class| resolve(&bare, class, want.movable(ask))).collect()
            })
            .collect();
        let share = |needs: &Vec<Result<Need, Reason>>| {
            let mut found = needs.iter().zip(&cluster.classes);
            found.find_map(|(need, class)| need.as_ref().ok().map(|need| need.share(class)))
        };
        let size = Size {
            host: want.host,
            slices: want.slices(),
            share: needs.iter().filter_map(share).max().unwrap_or(0),
        };
        Shape { want, size, needs }
    }

    /// One slice of Ask number `ask` on a device of that class.
    pub fn need(&self, ask: usize, class: u16) -> Result<Need, Reason> {
        self.needs[ask].get(usize::from(class)).copied().unwrap_or(Err(Reason::NotSelected))
    }
}

/// What is selected by the single device, not by its class, is left to the fit: see [`picks_single`].
fn by_class(ask: &Ask) -> Ask {
    let mut ask = ask.clone();
    ask.selectors.uuids.clear();
    ask.selectors.not_uuids.clear();
    ask.selectors.indices.clear();
    ask
}

/// Whether this Ask accepts the device by its uuid and place on the node.
pub(crate) fn picks_single(ask: &Ask, device: &Device) -> bool {
    let selectors = &ask.selectors;
    (selectors.uuids.is_empty() || selectors.uuids.contains(&device.uuid))
        && !selectors.not_uuids.contains(&device.uuid)
        && (selectors.indices.is_empty() || selectors.indices.contains(&device.index))
}

fn resolve(ask: &Ask, class: &Device, movable: bool) -> Result<Need, Reason> {
    let slice = ask.on(class).map_err(|misfit| match misfit {
        Misfit::NotSelected => Reason::NotSelected,
        Misfit::Memory { .. } | Misfit::Compute | Misfit::NoEncoder => Reason::TooLarge,
    })?;
    if ask.class == Class::Offline && !may_be_taken_back(ask.isolation) {
        return Err(Reason::NoReclaim);
    }
    Ok(Need::of(&slice, ask.class, movable))
}
