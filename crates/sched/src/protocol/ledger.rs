use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::commit::{
    Amount, Claim, Commit, ContainerName, DeviceName, Devices, NodeName, Phase, PodView, Uid, devices, whole,
};

/// What one node has granted. It has the last word: whatever schedulers believe, it grants only what fits beside what
/// still runs. Its storage is the slots themselves: a grant is in force when its slot says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    node: NodeName,
    devices: Devices,
    accounts: BTreeMap<Uid, Account>,
    /// All events up to this version have been heard; older ones say nothing new.
    known: u64,
}

/// What a node knows about one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Account {
    version: u64,
    /// It has ended, is deleted or was rejected: nothing starts any more.
    over: bool,
    /// What is in force.
    granted: Option<Arc<Commit>>,
    /// What was committed and is not in force yet.
    wanted: Option<Arc<Commit>>,
    /// Containers that run. While one does, its slices are taken, whatever became of the pod's object: it may be deleted by
    /// force, or because the node was thought lost.
    alive: BTreeSet<ContainerName>,
}

/// What a node that starts again finds running.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Running {
    pub commit: Arc<Commit>,
    pub containers: BTreeSet<ContainerName>,
}

/// Why a pod is to be deleted with its UID as precondition, with an event that says so: a bound pod cannot be bound again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rejected {
    /// Decided by a leader that knew less than a later one.
    Outdated,
    /// The devices are taken.
    NoRoom,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rejected::Outdated => "its devices are taken: decided by a scheduler that had been replaced",
            Rejected::NoRoom => "its devices are taken",
        })
    }
}

impl Ledger {
    /// A node that starts, or starts again: what runs on it is adopted before anything new is heard of.
    pub fn new(
        node: NodeName,
        devices: Devices,
        running: Vec<Running>,
        listing: &[PodView],
        listed: u64,
    ) -> Ledger {
        let accounts = running.into_iter().map(|found| {
            let uid = found.commit.uid;
            (uid, Account { granted: Some(found.commit), alive: found.containers, ..Account::default() })
        });
        let mut ledger = Ledger { node, devices, accounts: accounts.collect(), known: 0 };
        ledger.compare(listing, listed);
        ledger.bookmark(listed);
        ledger
    }

    /// Takes in an event about a pod. Twice is as good as once, and an old one after a newer one changes nothing.
    pub fn observe(&mut self, pod: &PodView) {
        if pod.version > self.known {
            self.take_in(pod);
        }
    }

    fn take_in(&mut self, pod: &PodView) {
        let commit = pod.holds().filter(|commit| commit.node == self.node);
        if commit.is_none() && !self.accounts.contains_key(&pod.uid) {
            return;
        }
        self.change(pod.uid, |account| {
            // That a pod is over is never old: it stays so.
            if account.over || pod.version <= account.version && !pod.is_over() {
                return;
            }
            account.version = account.version.max(pod.version);
            match commit {
                Some(commit) if account.granted.as_ref() == Some(commit) => account.wanted = None,
                Some(commit) => account.wanted = Some(commit.clone()),
                None => (account.over, account.wanted) = (pod.is_over(), None),
            }
        });
    }

    /// Brings into force what can be, the newest leader's commits first, and names it: new pods that fit; resizes that fit
    /// and whose tenants are `within` their new slices. A tenant that still uses more keeps what it uses.
    pub fn settle(&mut self, within: impl Fn(&Commit) -> bool) -> Vec<Uid> {
        let mut order: Vec<(Reverse<u64>, Uid)> = self
            .accounts
            .iter()
            .filter_map(|(uid, account)| Some((Reverse(account.wanted.as_ref()?.epoch), *uid)))
            .collect();
        order.sort_unstable();
        let mut settled = Vec::new();
        for (_, uid) in order {
            let Some(wanted) = self.accounts.get(&uid).and_then(|account| account.wanted.clone()) else {
                continue;
            };
            let resize = self.accounts.get(&uid).is_some_and(|account| account.granted.is_some());
            if self.fits(&wanted, Account::now) && (!resize || within(&wanted)) {
                self.change(uid, |account| {
                    account.wanted = None;
                    account.granted = Some(wanted);
                });
                settled.push(uid);
            }
        }
        settled
    }

    /// Pods that were committed here and have nothing yet: time to list and to [`judge`](Ledger::judge).
    pub fn waiting(&self) -> impl Iterator<Item = Uid> {
        let waiting = self.accounts.iter().filter(|(_, account)| account.is_new());
        waiting.map(|(uid, _)| *uid)
    }

    /// Compares with a listing of the pods bound here, and names those for which there is no room and will be none even
    /// when all that are over have stopped and all resizes are in force. A pod with a place is never named: one whose
    /// resize does not fit keeps what it has. `listed` is the listing's version.
    pub fn judge(&mut self, listing: &[PodView], listed: u64) -> Vec<(Uid, Rejected)> {
        self.compare(listing, listed);
        let newest = self.accounts.values().filter_map(Account::epoch).max().unwrap_or(0);
        let waiting: Vec<Arc<Commit>> = self
            .accounts
            .values()
            .filter(|account| account.is_new())
            .filter_map(|account| account.wanted.clone())
            .collect();
        let mut rejected = Vec::new();
        for commit in waiting {
            if !self.fits(&commit, Account::now) && !self.fits(&commit, Account::later) {
                self.change(commit.uid, |account| (account.over, account.wanted) = (true, None));
                let why = if commit.epoch < newest { Rejected::Outdated } else { Rejected::NoRoom };
                rejected.push((commit.uid, why));
            }
        }
        rejected
    }

    /// What a container of a pod may use, by the pod's UID; it counts as running from here on. `None`: it does not start.
    pub fn start(&mut self, uid: Uid, container: &str) -> Option<&[Claim]> {
        let account = self.accounts.get_mut(&uid).filter(|account| !account.over)?;
        let (name, claims) = account.granted.as_ref()?.slices.get_key_value(container)?;
        account.alive.insert(name.clone());
        Some(claims)
    }

    /// A container has stopped. Those of a pod that goes on may start again.
    pub fn stopped(&mut self, uid: Uid, container: &str) {
        if self.accounts.contains_key(&uid) {
            self.change(uid, |account| {
                account.alive.remove(container);
            });
        }
    }

    /// Every event up to this version has been heard: what is over by then need not be remembered.
    pub fn bookmark(&mut self, version: u64) {
        self.known = self.known.max(version);
        let known = self.known;
        self.accounts.retain(|_, account| !account.is_blank(known));
    }

    /// Events up to this version say nothing new.
    pub fn known(&self) -> u64 {
        self.known
    }

    /// Commits in force.
    pub fn granted(&self) -> impl Iterator<Item = &Arc<Commit>> {
        self.accounts.values().filter_map(|account| account.granted.as_ref())
    }

    /// What is known about a pod.
    pub fn account(&self, uid: Uid) -> Option<&Account> {
        self.accounts.get(&uid)
    }

    /// What is known about each pod.
    pub fn accounts(&self) -> impl Iterator<Item = (Uid, &Account)> {
        self.accounts.iter().map(|(uid, account)| (*uid, account))
    }

    /// What a listing does not show is gone.
    fn compare(&mut self, listing: &[PodView], listed: u64) {
        let there: BTreeSet<Uid> = listing.iter().map(|pod| pod.uid).collect();
        let gone: Vec<Uid> = self.accounts.keys().filter(|uid| !there.contains(uid)).copied().collect();
        for uid in gone {
            self.take_in(&PodView {
                uid,
                version: listed,
                phase: Phase::Gone,
                commit: None,
                in_force: false,
            });
        }
        listing.iter().for_each(|pod| self.take_in(pod));
    }

    fn change(&mut self, uid: Uid, change: impl FnOnce(&mut Account)) {
        let account = self.accounts.entry(uid).or_default();
        change(account);
        if account.over && account.alive.is_empty() {
            account.granted = None;
        }
        if account.is_blank(self.known) {
            self.accounts.remove(&uid);
        }
    }

    /// Whether a commit fits beside what the others count for.
    fn fits(&self, commit: &Commit, counts: impl Fn(&Account, &DeviceName) -> Amount) -> bool {
        devices(&commit.slices).all(|device| {
            let others = self.accounts.iter().filter(|(uid, _)| **uid != commit.uid);
            let taken = others.fold(Amount::default(), |sum, (_, account)| sum.plus(counts(account, device)));
            taken.plus(commit.on(device)).fits_in(whole(&self.devices, device))
        })
    }
}

impl Account {
    /// The newest version heard of.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What it takes of a device.
    fn now(&self, device: &DeviceName) -> Amount {
        self.granted.as_ref().map(|commit| commit.on(device)).unwrap_or_default()
    }

    /// What it will take when all is in force that was committed to a pod with a place.
    fn later(&self, device: &DeviceName) -> Amount {
        let commit = self.wanted.as_ref().or(self.granted.as_ref());
        let stays = self.granted.is_some() && !self.over;
        commit.filter(|_| stays).map(|commit| commit.on(device)).unwrap_or_default()
    }

    /// Whether it waits for its first grant.
    fn is_new(&self) -> bool {
        self.granted.is_none() && self.wanted.is_some()
    }

    fn epoch(&self) -> Option<u64> {
        self.wanted.as_ref().or(self.granted.as_ref()).map(|commit| commit.epoch)
    }

    fn is_blank(&self, known: u64) -> bool {
        (self.over || self.version == 0)
            && self.version <= known
            && self.granted.is_none()
            && self.wanted.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{bound, commit, devices, ended, slices};
    use super::*;

    fn ledger() -> Ledger {
        Ledger::new(Arc::from("n"), devices(), vec![], &[], 0)
    }

    fn uids(ledger: &Ledger) -> Vec<u128> {
        ledger.granted().map(|commit| commit.uid.0).collect()
    }

    #[test]
    fn a_container_starts_only_with_what_is_granted_to_its_pod() {
        let mut ledger = ledger();
        ledger.observe(&bound(&commit(1, "d0", 6), 1));
        assert_eq!(ledger.start(Uid(1), "main"), None);
        assert_eq!(ledger.settle(|_| true), [Uid(1)]);
        assert_eq!(ledger.start(Uid(2), "main"), None);
        assert_eq!(ledger.start(Uid(1), "other"), None);
        assert_eq!(ledger.start(Uid(1), "main"), Some(&slices("d0", 6)["main"][..]));
        ledger.observe(&ended(1, 2));
        assert_eq!(ledger.start(Uid(1), "main"), None);
    }

    #[test]
    fn devices_are_free_when_containers_have_stopped_and_not_before() {
        let mut ledger = ledger();
        ledger.observe(&bound(&commit(1, "d0", 6), 1));
        ledger.settle(|_| true);
        ledger.start(Uid(1), "main");
        let gone = PodView { phase: Phase::Gone, ..ended(1, 2) };
        ledger.observe(&gone);
        ledger.observe(&bound(&commit(2, "d0", 6), 3));
        assert_eq!(ledger.settle(|_| true), []);
        // It will have room, so it is not rejected.
        assert_eq!(ledger.judge(&[bound(&commit(2, "d0", 6), 3)], 4), []);
        ledger.stopped(Uid(1), "main");
        assert_eq!(ledger.settle(|_| true), [Uid(2)]);
        // An old event does not bring back the first.
        ledger.observe(&bound(&commit(1, "d0", 6), 1));
        ledger.bookmark(4);
        ledger.observe(&bound(&commit(1, "d0", 6), 1));
        assert_eq!((uids(&ledger), ledger.accounts().count()), (vec![2], 1));
    }

    #[test]
    fn where_not_all_fit_the_newest_leader_goes_first() {
        let mut ledger = ledger();
        let old = commit(1, "d0", 6);
        let new = Arc::new(Commit { epoch: 2, ..Commit::clone(&commit(2, "d0", 6)) });
        let listing = [bound(&old, 1), bound(&new, 2)];
        listing.iter().for_each(|pod| ledger.observe(pod));
        assert_eq!(ledger.settle(|_| true), [Uid(2)]);
        assert_eq!(ledger.waiting().collect::<Vec<_>>(), [Uid(1)]);
        assert_eq!(ledger.judge(&listing, 2), [(Uid(1), Rejected::Outdated)]);
        // Rejected is rejected, even if there is room later.
        ledger.observe(&ended(2, 3));
        assert_eq!(ledger.settle(|_| true), []);
    }

    #[test]
    fn a_resize_waits_for_room_and_for_its_tenant() {
        let mut ledger = ledger();
        ledger.observe(&bound(&commit(1, "d0", 6), 1));
        ledger.observe(&bound(&commit(2, "d0", 4), 1));
        ledger.settle(|_| true);
        ledger.observe(&bound(&commit(1, "d0", 8), 2));
        ledger.observe(&bound(&commit(2, "d0", 2), 2));
        // The second one still uses more than it is to have.
        assert_eq!(ledger.settle(|_| false), []);
        assert_eq!(ledger.judge(&[bound(&commit(1, "d0", 8), 2), bound(&commit(2, "d0", 2), 2)], 2), []);
        assert_eq!(ledger.settle(|commit| commit.uid == Uid(2)), [Uid(2)]);
        assert_eq!(ledger.settle(|_| true), [Uid(1)]);
    }

    #[test]
    fn a_node_that_starts_again_goes_on_with_what_runs() {
        let running = |uid, units| Running {
            commit: commit(uid, "d0", units),
            containers: BTreeSet::from([Arc::from("main")]),
        };
        // The second one was deleted meanwhile; a third one was bound.
        let listing = [bound(&commit(1, "d0", 4), 1), bound(&commit(3, "d0", 5), 2)];
        let found = vec![running(1, 4), running(2, 5)];
        let mut ledger = Ledger::new(Arc::from("n"), devices(), found, &listing, 3);
        assert_eq!((ledger.settle(|_| true), uids(&ledger)), (vec![], vec![1, 2]));
        ledger.stopped(Uid(2), "main");
        assert_eq!((ledger.settle(|_| true), uids(&ledger)), (vec![Uid(3)], vec![1, 3]));
        // Events from before the listing are old, also about pods that are not remembered.
        ledger.observe(&bound(&commit(2, "d1", 1), 1));
        assert_eq!(ledger.settle(|_| true), []);
    }
}
