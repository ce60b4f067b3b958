//! Every live allocation of the process, and which contexts' device code may touch it.
//!
//! The table and the contexts' views change under one lock: a context never misses an allocation and an allocation never
//! misses a context. Lock order: this table, then a view's `Ranges`.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use cleave_simt::{Range, Ranges};

use super::allocation::{Allocation, Kind, Scope};

#[derive(Default)]
pub struct Live {
    table: RwLock<Table>,
}

#[derive(Default)]
struct Table {
    by_start: BTreeMap<u64, Arc<Allocation>>,
    views: Vec<View>,
}

/// What the device code of one context sees.
struct View {
    context: u64,
    device: usize,
    ranges: Arc<Ranges>,
    /// Contexts whose memory has been opened to this one.
    peers: Vec<u64>,
}

impl Live {
    /// Opens a view for a context. It sees what is the process's from the start.
    pub fn open(&self, context: u64, device: usize, ranges: Arc<Ranges>) {
        let mut table = self.write();
        let view = View { context, device, ranges, peers: Vec::new() };
        table.by_start.values().for_each(|allocation| view.show(allocation));
        table.views.push(view);
    }

    /// Closes a context's view and returns the allocations that die with it.
    pub fn close(&self, context: u64) -> Vec<Arc<Allocation>> {
        let mut table = self.write();
        table.views.retain(|view| view.context != context);
        let theirs: Vec<u64> = table
            .by_start
            .values()
            .filter(|a| a.context == context && a.scope() != Scope::Granted)
            .map(|a| a.start)
            .collect();
        theirs.into_iter().filter_map(|start| table.remove(start)).collect()
    }

    /// Makes an allocation known. False if some other one has bytes in common with it.
    pub fn insert(&self, allocation: &Arc<Allocation>) -> bool {
        let mut table = self.write();
        let before = table.by_start.range(..allocation.end()).next_back();
        if before.is_some_and(|(_, a)| a.end() > allocation.start) {
            return false;
        }
        table.views.iter().for_each(|view| view.show(allocation));
        table.by_start.insert(allocation.start, allocation.clone());
        true
    }

    /// Forgets the allocation that starts exactly at `start`, if `may` agrees.
    pub fn remove_if(&self, start: u64, may: impl FnOnce(&Allocation) -> bool) -> Option<Arc<Allocation>> {
        let mut table = self.write();
        let allocation = table.by_start.get(&start)?;
        if !may(allocation) {
            return None;
        }
        table.remove(start)
    }

    /// The allocation that holds the byte at `addr`.
    pub fn find(&self, addr: u64) -> Option<Arc<Allocation>> {
        self.read().find(addr).cloned()
    }

    /// What covers `addr..addr + len` without a gap: one allocation, or mappings side by side.
    pub fn cover(&self, addr: u64, len: u64) -> Option<Vec<Arc<Allocation>>> {
        let end = addr.checked_add(len)?;
        let table = self.read();
        let first = table.find(addr)?;
        let mut covering = vec![first.clone()];
        let mut at = first.end();
        while at < end {
            let next = table.by_start.get(&at)?;
            if !matches!((&covering[0].kind, &next.kind), (Kind::Mapped(_), Kind::Mapped(_))) {
                return None;
            }
            covering.push(next.clone());
            at = next.end();
        }
        Some(covering)
    }

    /// Every allocation that starts inside `addr..addr + len`, lowest first.
    pub fn within(&self, addr: u64, len: u64) -> Vec<Arc<Allocation>> {
        let end = addr.saturating_add(len);
        self.read().by_start.range(addr..end).map(|(_, a)| a.clone()).collect()
    }

    /// Shows or hides the allocations that start in `start..end` after their access changed.
    pub fn refresh(&self, start: u64, end: u64) {
        let table = self.write();
        for (_, allocation) in table.by_start.range(start..end) {
            table.views.iter().for_each(|view| view.adjust(allocation));
        }
    }

    /// Lets `context` touch what belongs to `peer`. False if it already may.
    pub fn befriend(&self, context: u64, peer: u64) -> bool {
        let mut table = self.write();
        let Table { by_start, views } = &mut *table;
        let Some(view) = views.iter_mut().find(|view| view.context == context) else { return false };
        if view.peers.contains(&peer) {
            return false;
        }
        view.peers.push(peer);
        by_start
            .values()
            .filter(|a| a.context == peer && a.scope() == Scope::Context)
            .for_each(|a| view.show(a));
        true
    }

    /// Ends what [`befriend`](Self::befriend) began. False if there was nothing to end.
    pub fn part(&self, context: u64, peer: u64) -> bool {
        let mut table = self.write();
        let Table { by_start, views } = &mut *table;
        let Some(view) = views.iter_mut().find(|view| view.context == context) else { return false };
        let friends = view.peers.len();
        view.peers.retain(|&id| id != peer);
        if view.peers.len() == friends {
            return false;
        }
        by_start
            .values()
            .filter(|a| a.context == peer && a.scope() == Scope::Context)
            .for_each(|a| view.hide(a));
        true
    }

    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn find(&self, addr: u64) -> Option<&Arc<Allocation>> {
        let (_, allocation) = self.by_start.range(..=addr).next_back()?;
        (addr < allocation.end()).then_some(allocation)
    }

    fn remove(&mut self, start: u64) -> Option<Arc<Allocation>> {
        let allocation = self.by_start.remove(&start)?;
        self.views.iter().for_each(|view| view.hide(&allocation));
        Some(allocation)
    }
}

impl View {
    fn rights(&self, allocation: &Allocation) -> (bool, bool) {
        let mine = allocation.context == self.context || self.peers.contains(&allocation.context);
        match allocation.scope() {
            Scope::Context => (mine, mine),
            Scope::Process => (true, true),
            Scope::Granted => allocation.granted(self.device),
        }
    }

    fn show(&self, allocation: &Allocation) {
        let (read, write) = self.rights(allocation);
        if read {
            // SAFETY: memory of ours stays mapped at its alias for ever (freed places become scratch pages, see `Space`
            // and `Reserved`); registered memory is the program's promise. No Rust reference into either exists.
            let range = unsafe { Range::mapped(allocation.start, allocation.len, allocation.delta(), write) };
            // Cannot overlap: live allocations are disjoint.
            let _ = self.ranges.insert(range);
        }
    }

    /// After a change of access. What stays as it is never disappears, not even for a moment: kernels are running.
    fn adjust(&self, allocation: &Allocation) {
        let shown = self.ranges.find(allocation.start).map(|range| (true, range.writable()));
        if shown.unwrap_or((false, false)) != self.rights(allocation) {
            self.hide(allocation);
            self.show(allocation);
        }
    }

    fn hide(&self, allocation: &Allocation) {
        self.ranges.remove(allocation.start);
    }
}
