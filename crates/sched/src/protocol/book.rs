use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::commit::{
    Amount, Commit, DeviceName, Devices, NodeName, PodView, Slices, Uid, devices, greater, on, whole,
};
use super::page::{Held, Page};

/// What one scheduler believes: what is committed, what it is about to commit, and for whom it keeps room. Rebuilt from
/// a listing whenever there is doubt; written by one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    epoch: u64,
    devices: Devices,
    pub(super) pages: BTreeMap<Uid, Page>,
    /// Who holds or keeps something of a device, so that a decision looks at those and not at the cluster.
    on: BTreeMap<DeviceName, BTreeSet<Uid>>,
    /// All events up to this version have been heard; older ones say nothing new.
    known: u64,
}

/// Why the book does not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// The pod holds or is about to hold devices already.
    Held,
    /// It has ended, or was deleted.
    Ended,
    NoRoom,
    /// A member of a gang is bound at the place that is kept for it, or not at all.
    NotPlanned,
    /// A victim makes way for somebody else already.
    Promised,
    Unknown,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Held => "the pod has its devices already",
            Refused::Ended => "the pod has ended",
            Refused::NoRoom => "the devices were taken meanwhile",
            Refused::NotPlanned => "a member of a gang is bound at the place kept for it",
            Refused::Promised => "a victim makes way for somebody else already",
            Refused::Unknown => "no such pod",
        })
    }
}

impl std::error::Error for Refused {}

impl Book {
    /// Takes over: what is held is what the listing says, nothing is assumed, and gangs that have begun keep their places.
    /// `listed` is the listing's version. To be called when the old leader's lease and its longest request are over.
    pub fn take_over(epoch: u64, devices: Devices, listing: &[PodView], listed: u64) -> Book {
        let mut book = Book { epoch, devices, pages: BTreeMap::new(), on: BTreeMap::new(), known: 0 };
        for pod in listing {
            book.change(pod.uid, |page| page.observe(pod));
        }
        for pod in listing {
            book.keep_gang_of(pod);
        }
        book.known = listed;
        book.forget();
        book
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Events up to this version say nothing new.
    pub fn known(&self) -> u64 {
        self.known
    }

    /// Devices came, went, or changed. What is held on a device that went stays held: its pods end by themselves.
    pub fn set_devices(&mut self, devices: Devices) {
        self.devices = devices;
    }

    /// Checks a decision against the newest state and assumes it: the commit to send as a Binding, or why not. A
    /// reservation for this pod makes room for it and ends with it.
    pub fn bind(&mut self, uid: Uid, node: NodeName, slices: Slices) -> Result<Arc<Commit>, Refused> {
        let kept = self.pages.get(&uid).and_then(|page| page.kept.as_ref());
        if kept.is_some_and(|kept| !kept.gang.is_empty()) {
            return Err(Refused::NotPlanned);
        }
        self.assume(Commit::new(uid, node, slices))
    }

    /// The same for a member of a gang: its place is the one that is kept for it.
    pub fn bind_member(&mut self, uid: Uid) -> Result<Arc<Commit>, Refused> {
        self.vacant(uid)?;
        let kept = self.pages.get(&uid).and_then(|page| page.kept.as_ref()).ok_or(Refused::NotPlanned)?;
        let planned = kept.gang.iter().find(|member| member.uid == uid).ok_or(Refused::NotPlanned)?;
        let commit = Commit::new(uid, planned.node.clone(), planned.slices.clone());
        self.assume(Commit { gang: kept.gang.clone(), ..commit })
    }

    fn assume(&mut self, commit: Commit) -> Result<Arc<Commit>, Refused> {
        self.vacant(commit.uid)?;
        if !self.has_room(commit.uid, &commit.slices, &BTreeSet::new()) {
            return Err(Refused::NoRoom);
        }
        let commit = Arc::new(Commit { epoch: self.epoch, ..commit });
        self.change(commit.uid, |page| {
            page.kept = None;
            page.held = Some(Held::assumed(commit.clone()));
        });
        Ok(commit)
    }

    /// Pods of which nobody knows what became of the last request. Most are settled by the watch; the others are to be read
    /// once the request can no longer arrive. Its answer tells when to read, no more: a conflict may be with an earlier
    /// try of the same request.
    pub fn in_doubt(&self) -> impl Iterator<Item = Uid> {
        self.pages.iter().filter(|(_, page)| page.in_doubt()).map(|(uid, _)| *uid)
    }

    /// A pod in doubt was read after its last request could no longer arrive: what it shows is the truth. One that is not
    /// there any more is gone, at whatever version. The place of a member that was not bound after all is kept as before.
    pub fn settled(&mut self, pod: &PodView) {
        self.change(pod.uid, |page| {
            page.settle(pod);
            page.observe(pod);
        });
        self.keep_gang_of(pod);
    }

    /// Takes in an event. Twice is as good as once, and an old one after a newer one changes nothing.
    pub fn observe(&mut self, pod: &PodView) {
        if pod.version <= self.known {
            return;
        }
        self.change(pod.uid, |page| page.observe(pod));
        self.keep_gang_of(pod);
    }

    /// Every event up to this version has been heard (a bookmark of the watch): what is over by then need not be remembered.
    pub fn bookmark(&mut self, version: u64) {
        self.known = self.known.max(version);
        self.forget();
    }

    /// Checks new slices for a running pod: the commit to write, with the pod's UID and the version returned as preconditions.
    /// Until the node says that they are in force, the greater of old and new is held.
    pub fn resize(&mut self, uid: Uid, slices: Slices) -> Result<(Arc<Commit>, u64), Refused> {
        let page = self.pages.get(&uid).ok_or(Refused::Unknown)?;
        let held = page.held.as_ref().ok_or(Refused::Unknown)?;
        let now = &held.commit;
        if page.in_doubt() || now.slices == slices {
            return Err(Refused::Held);
        }
        let version = page.version;
        let before = match &now.before {
            Some(before) if !held.in_force => greater(before, &now.slices),
            _ => now.slices.clone(),
        };
        let most = greater(&before, &slices);
        if !self.has_room(uid, &most, &BTreeSet::new()) {
            return Err(Refused::NoRoom);
        }
        let next = Commit { epoch: self.epoch, slices, before: Some(before), ..Commit::clone(now) };
        let next = Arc::new(next);
        self.change(uid, |page| {
            if let Some(held) = &mut page.held {
                held.next = Some(next.clone());
            }
        });
        Ok((next, version))
    }

    /// What is held and kept of each device.
    pub fn load(&self) -> impl Iterator<Item = (&DeviceName, Amount)> {
        self.on.keys().map(|device| (device, self.taken(device, None, &BTreeSet::new())))
    }

    /// What is known about a pod.
    pub fn page(&self, uid: Uid) -> Option<&Page> {
        self.pages.get(&uid)
    }

    /// What is known about each pod.
    pub fn pages(&self) -> impl Iterator<Item = (Uid, &Page)> {
        self.pages.iter().map(|(uid, page)| (*uid, page))
    }

    /// Whether a pod may be given something: a pod that was never heard of may come later than the decision for it.
    pub(super) fn vacant(&self, uid: Uid) -> Result<(), Refused> {
        match self.pages.get(&uid) {
            Some(page) if page.held.is_some() => Err(Refused::Held),
            Some(page) if page.over => Err(Refused::Ended),
            _ => Ok(()),
        }
    }

    /// Changes a page and keeps the index of devices true.
    pub(super) fn change(&mut self, uid: Uid, change: impl FnOnce(&mut Page)) {
        let page = self.pages.entry(uid).or_default();
        for device in page.devices() {
            if let Some(there) = self.on.get_mut(device) {
                there.remove(&uid);
                if there.is_empty() {
                    self.on.remove(device);
                }
            }
        }
        change(page);
        for device in page.devices() {
            self.on.entry(device.clone()).or_default().insert(uid);
        }
        if page.is_blank(self.known) {
            self.pages.remove(&uid);
        }
    }

    fn forget(&mut self) {
        let known = self.known;
        self.pages.retain(|_, page| !page.is_blank(known));
    }

    /// Whether these slices fit beside all that is held or kept for others, not counting `leaving`.
    pub(super) fn has_room(&self, uid: Uid, slices: &Slices, leaving: &BTreeSet<Uid>) -> bool {
        devices(slices).all(|device| {
            let taken = self.taken(device, Some(uid), leaving);
            taken.plus(on(slices, device)).fits_in(whole(&self.devices, device))
        })
    }

    /// What all pods but one hold or keep of a device, not counting `leaving`. Where a reservation waits for victims, the
    /// greater of both counts, not the sum: the room is the same room.
    fn taken(&self, device: &DeviceName, but: Option<Uid>, leaving: &BTreeSet<Uid>) -> Amount {
        let there = self.on.get(device).into_iter().flatten().filter(|uid| Some(**uid) != but);
        there.filter_map(|uid| Some((uid, self.pages.get(uid)?))).fold(
            Amount::default(),
            |sum, (uid, page)| {
                let held = page.held.as_ref().filter(|_| !leaving.contains(uid));
                let kept = page.kept.as_ref().map(|kept| {
                    // Room of a victim that is counted as gone covers nobody: it is not promised twice.
                    let there = kept.victims.difference(leaving).filter_map(|victim| self.pages.get(victim));
                    let held = there.filter_map(|page| page.held.as_ref());
                    let covered = held.fold(Amount::default(), |sum, held| sum.plus(held.on(device)));
                    kept.on(device, covered)
                });
                let held = held.map(|held| held.on(device)).unwrap_or_default();
                sum.plus(held).plus(kept.unwrap_or_default())
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::Phase;
    use super::super::fixture::{bound, commit, devices, ended, slices, waits};
    use super::*;

    fn book() -> Book {
        Book::take_over(1, devices(), &[], 0)
    }

    fn bind(book: &mut Book, uid: u128, units: u64) -> Result<Arc<Commit>, Refused> {
        book.bind(Uid(uid), Arc::from("n"), slices("d0", units))
    }

    fn load(book: &Book) -> u64 {
        book.load().map(|(_, sum)| sum.memory_mib).sum()
    }

    #[test]
    fn what_is_assumed_is_taken_until_the_pod_tells_otherwise() {
        let mut book = book();
        bind(&mut book, 1, 6).unwrap();
        assert_eq!(bind(&mut book, 1, 1), Err(Refused::Held));
        assert_eq!(bind(&mut book, 2, 5), Err(Refused::NoRoom));
        // That it was seen waiting says nothing: the Binding may be on its way.
        book.observe(&waits(1, 3));
        assert_eq!(book.in_doubt().collect::<Vec<_>>(), [Uid(1)]);
        book.settled(&waits(1, 3));
        assert_eq!(book.in_doubt().next(), None);
        bind(&mut book, 2, 5).unwrap();
    }

    #[test]
    fn a_pod_that_is_over_gives_back_and_gets_nothing_again() {
        let mut book = book();
        let commit = bind(&mut book, 1, 10).unwrap();
        book.observe(&bound(&commit, 5));
        book.observe(&ended(1, 6));
        book.observe(&bound(&commit, 5));
        assert_eq!((load(&book), bind(&mut book, 1, 1)), (0, Err(Refused::Ended)));
        // Once nothing older can come, it need not be remembered.
        book.bookmark(6);
        assert_eq!(book.pages().count(), 0);
        book.observe(&bound(&commit, 5));
        assert_eq!(load(&book), 0);
    }

    #[test]
    fn a_pod_in_doubt_that_is_not_there_is_gone() {
        let mut book = book();
        book.observe(&waits(1, 3));
        bind(&mut book, 1, 10).unwrap();
        book.settled(&PodView { phase: Phase::Gone, ..waits(1, 0) });
        assert_eq!((load(&book), bind(&mut book, 1, 1)), (0, Err(Refused::Ended)));
    }

    #[test]
    fn others_decisions_are_facts_even_without_room() {
        let mut book = book();
        bind(&mut book, 1, 6).unwrap();
        book.observe(&bound(&commit(2, "d0", 7), 3));
        assert_eq!(load(&book), 13);
        assert_eq!(bind(&mut book, 3, 1), Err(Refused::NoRoom));
    }

    #[test]
    fn a_commit_copied_from_another_pod_is_nobodys() {
        let copied = PodView { uid: Uid(9), ..bound(&commit(1, "d0", 7), 3) };
        assert_eq!(load(&Book::take_over(1, devices(), &[copied], 3)), 0);
    }

    #[test]
    fn a_resize_takes_the_greater_until_it_is_in_force() {
        let mut book = Book::take_over(2, devices(), &[bound(&commit(1, "d0", 8), 4)], 4);
        assert_eq!(book.resize(Uid(1), slices("d0", 8)), Err(Refused::Held));
        let (less, version) = book.resize(Uid(1), slices("d0", 3)).unwrap();
        assert_eq!((version, load(&book)), (4, 8));
        assert_eq!(book.resize(Uid(1), slices("d0", 2)), Err(Refused::Held));
        book.observe(&bound(&less, 5));
        assert_eq!(load(&book), 8);
        // Whoever takes over now knows of both as well.
        let mut next = Book::take_over(3, devices(), &[bound(&less, 5)], 5);
        assert_eq!(bind(&mut next, 2, 3), Err(Refused::NoRoom));
        book.observe(&PodView { in_force: true, ..bound(&less, 6) });
        assert_eq!(load(&book), 3);
        assert_eq!(book.resize(Uid(1), slices("d0", 11)), Err(Refused::NoRoom));
    }

    #[test]
    fn a_resize_that_did_not_happen_is_forgotten() {
        let before = bound(&commit(1, "d0", 4), 4);
        let mut book = Book::take_over(2, devices(), std::slice::from_ref(&before), 4);
        book.resize(Uid(1), slices("d0", 9)).unwrap();
        assert_eq!(load(&book), 9);
        book.settled(&before);
        assert_eq!(load(&book), 4);
    }

    #[test]
    fn amounts_beyond_all_bounds_fit_nowhere() {
        let mut book = book();
        book.observe(&bound(&commit(1, "d0", u64::MAX), 1));
        book.observe(&bound(&commit(2, "d0", u64::MAX), 2));
        assert_eq!(bind(&mut book, 3, 1), Err(Refused::NoRoom));
        assert_eq!(book.bind(Uid(4), Arc::from("n"), slices("unheard of", 1)), Err(Refused::NoRoom));
    }
}
