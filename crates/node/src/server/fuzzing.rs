//! The daemon's answers without its socket, over devices that are made up: what the fuzz target talks to.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use super::{Connection, Shared};
use crate::card::{Card, Devices, Mode};
use crate::config::{Config, Rules};
use crate::drivers::{Drivers, View};
use crate::home::Home;
use crate::node::Node;
use crate::protocol::{Kind, Request, Status};
use crate::store::Store;
use crate::sys_unsafe::{self, Peer};

const GIB: u64 = 1 << 30;

/// A daemon of two devices and of nobody who could connect to it.
pub struct Machine {
    shared: Arc<Shared>,
}

struct TwoDevices;

impl Devices for TwoDevices {
    fn look(&mut self) -> Result<Vec<Card>, String> {
        let card = |byte: u8, gib: u64| Card {
            uuid: cleave_slot::Uuid::Gpu([byte; 16]).to_string(),
            name: "made up".into(),
            kind: Kind::Real,
            total: gib * GIB,
            kept: 0,
            holders: Some(Vec::new()),
            mode: Mode::Shared,
        };
        Ok(vec![card(1, 16), card(2, 4)])
    }
}

impl Machine {
    /// A daemon at home in an empty folder.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub fn new(folder: &Path) -> anyhow::Result<Machine> {
        let home = Home::at(folder);
        let store = Store::open(home.tenants())?;
        let config = Config { home, embedded: false, libraries: None, rules: Rules::default() };
        let node = Node::new(config, store, View::default(), None, Box::new(|| 0))?;
        Ok(Machine { shared: Arc::new(Shared::new(node, Drivers::made_up(Box::new(TwoDevices)))) })
    }

    /// What the daemon answers to a line of its own user, or of a `stranger`, whose process it cannot see; None to who would
    /// stand in line.
    ///
    /// # Errors
    /// If the system has no sockets left.
    pub fn answer(&self, line: &[u8], stranger: bool) -> anyhow::Result<Option<String>> {
        if let Ok(Request::Start(start)) = serde_json::from_slice(line)
            && start.wait
        {
            return Ok(None);
        }
        let uid = sys_unsafe::user().wrapping_add(u32::from(stranger));
        let (stream, _client) = UnixStream::pair()?;
        let peer = Peer { pid: 0, uid, gid: uid };
        let mut connection = Connection { stream, peer, watch: None, shared: self.shared.clone() };
        Ok(Some(serde_json::to_string(&connection.respond(line))?))
    }

    /// What there is, as its own user sees it.
    pub fn status(&self) -> Status {
        let uid = sys_unsafe::user();
        self.shared.node().status(&Peer { pid: 0, uid, gid: uid })
    }
}
