use cleave_model::{Ask, Class, Isolation, Packing};

/// What a node has besides devices, or what a pod takes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Host {
    pub cpu_milli: u32,
    pub memory_mib: u32,
}

impl Host {
    /// Whether `part` can be taken from this.
    pub fn covers(self, part: Host) -> bool {
        part.cpu_milli <= self.cpu_milli && part.memory_mib <= self.memory_mib
    }

    pub fn minus(self, part: Host) -> Host {
        Host {
            cpu_milli: self.cpu_milli.saturating_sub(part.cpu_milli),
            memory_mib: self.memory_mib.saturating_sub(part.memory_mib),
        }
    }

    pub fn plus(self, part: Host) -> Host {
        Host {
            cpu_milli: self.cpu_milli.saturating_add(part.cpu_milli),
            memory_mib: self.memory_mib.saturating_add(part.memory_mib),
        }
    }
}

/// What a whole pod wants of one node: its host resources and one Ask per container that needs devices. Two pods
/// that want the same are the same to a decision, whoever they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Want {
    pub host: Host,
    pub asks: Vec<Ask>,
    /// Memory may be promised beyond what the device has, within the node's class. Never assumed: it is asked for.
    pub oversubscribe: bool,
}

impl Want {
    /// A pod with one container that asks for devices.
    pub fn one(host: Host, ask: Ask) -> Want {
        Want { host, asks: vec![ask], oversubscribe: false }
    }

    /// A pod without devices.
    pub fn host_only(host: Host) -> Want {
        Want { host, asks: Vec::new(), oversubscribe: false }
    }

    /// The highest priority among its containers: a pod is evicted as a whole, so it defends itself as a whole.
    pub fn priority(&self) -> i32 {
        self.asks.iter().map(|ask| ask.priority).max().unwrap_or(0)
    }

    /// How its containers wish to be packed among nodes. The first wish counts.
    pub fn node_wish(&self) -> Option<Packing> {
        self.asks.iter().find_map(|ask| ask.policy.node)
    }

    /// Whether all it does on devices may be taken back at any moment.
    pub fn is_offline(&self) -> bool {
        !self.asks.is_empty() && self.asks.iter().all(|ask| ask.class == Class::Offline)
    }

    /// Whether the memory of this Ask may be moved out of the device.
    pub(crate) fn movable(&self, ask: &Ask) -> bool {
        self.oversubscribe && ask.isolation != Isolation::Exclusive
    }

    /// Slices over all containers.
    pub fn slices(&self) -> u32 {
        self.asks.iter().map(|ask| ask.count).sum()
    }
}
