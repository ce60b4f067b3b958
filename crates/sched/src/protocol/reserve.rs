use std::collections::BTreeSet;
use std::sync::Arc;

use super::book::{Book, Refused};
use super::commit::{Member, PodView, Slices, Uid};
use super::page::{Kept, Page};

/// Reservations are a leader's memory: they speed up and keep apart what belongs together, but nothing is wrong when they are
/// lost with their leader. The one thing that must outlive it, a gang that has begun, is in the members' commits.
impl Book {
    /// Keeps room for a pod until `until`.
    pub fn reserve(&mut self, uid: Uid, slices: Slices, until: u64) -> Result<(), Refused> {
        self.keep(uid, Kept { slices, until, victims: BTreeSet::new(), gang: Arc::from([]) })
    }

    /// Keeps room for a pod until `until`, in the place of `victims`, who are to be evicted. Nobody is a victim twice, or
    /// the same room would be promised twice.
    pub fn preempt(
        &mut self,
        uid: Uid,
        slices: Slices,
        victims: BTreeSet<Uid>,
        until: u64,
    ) -> Result<(), Refused> {
        let others = self.pages.iter().filter(|(other, _)| **other != uid);
        let mut kept = others.filter_map(|(_, page)| page.kept.as_ref());
        if kept.any(|kept| !kept.victims.is_disjoint(&victims)) {
            return Err(Refused::Promised);
        }
        self.keep(uid, Kept { slices, until, victims, gang: Arc::from([]) })
    }

    /// Pods that somebody waits for and that still hold their devices: to be evicted, with their UID as precondition.
    pub fn victims(&self) -> impl Iterator<Item = Uid> {
        let holds = |victim: &&Uid| self.pages.get(*victim).is_some_and(|page| page.held.is_some());
        let kept = self.pages.values().filter_map(|page| page.kept.as_ref());
        kept.flat_map(|kept| &kept.victims).filter(holds).copied()
    }

    /// Keeps room for all members of a gang, or for none. Each is then bound by itself, at the place planned for it; from
    /// the first Binding on, the places of the others are kept for as long as that one stands.
    pub fn reserve_gang(&mut self, gang: Arc<[Member]>, until: u64) -> Result<(), Refused> {
        let mut before = Vec::new();
        for member in gang.iter() {
            before.push((member.uid, self.pages.get(&member.uid).and_then(|page| page.kept.clone())));
            let kept =
                Kept { slices: member.slices.clone(), until, victims: BTreeSet::new(), gang: gang.clone() };
            if let Err(why) = self.keep(member.uid, kept) {
                for (uid, kept) in before.into_iter().rev() {
                    self.change(uid, |page| page.kept = kept);
                }
                return Err(why);
            }
        }
        Ok(())
    }

    /// Lets go of what was kept too long: whoever it was for has to ask again.
    pub fn expire(&mut self, now: u64) {
        let late = |kept: &Kept| kept.until <= now && !self.has_begun(&kept.gang);
        let late: Vec<Uid> = self
            .pages
            .iter()
            .filter(|(_, page)| page.kept.as_ref().is_some_and(late))
            .map(|(uid, _)| *uid)
            .collect();
        for uid in late {
            self.change(uid, |page| page.kept = None);
        }
    }

    /// A commit that shows a gang keeps the places of those members that are there and not bound yet. One that nobody has
    /// heard of is deleted already: members exist before they are planned for.
    pub(super) fn keep_gang_of(&mut self, pod: &PodView) {
        let Some(commit) = pod.holds() else { return };
        for member in commit.gang.iter() {
            let waits = |page: &Page| !page.over && page.held.is_none() && page.kept.is_none();
            if self.pages.get(&member.uid).is_some_and(waits) {
                let gang = commit.gang.clone();
                // As with commits: it is a fact, whether or not there is room.
                let kept = Kept { slices: member.slices.clone(), until: 0, victims: BTreeSet::new(), gang };
                self.change(member.uid, |page| page.kept = Some(kept));
            }
        }
    }

    fn keep(&mut self, uid: Uid, kept: Kept) -> Result<(), Refused> {
        self.vacant(uid)?;
        let planned = self.pages.get(&uid).and_then(|page| page.kept.as_ref());
        if planned.is_some_and(|planned| self.has_begun(&planned.gang)) {
            return Err(Refused::NotPlanned);
        }
        if !self.has_room(uid, &kept.slices, &kept.victims) {
            return Err(Refused::NoRoom);
        }
        self.change(uid, |page| page.kept = Some(kept));
        Ok(())
    }

    /// Whether a member holds its place by this plan. One that holds another place made the plan void.
    fn has_begun(&self, gang: &Arc<[Member]>) -> bool {
        let held = |member: &Member| self.pages.get(&member.uid)?.held.as_ref();
        gang.iter().filter_map(held).any(|held| held.commit.gang == *gang)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{bound, commit, devices, ended, slices, waits};
    use super::*;

    fn book(listing: &[PodView]) -> Book {
        Book::take_over(1, devices(), listing, 1)
    }

    fn bind(book: &mut Book, uid: u128, device: &str, units: u64) -> Result<(), Refused> {
        book.bind(Uid(uid), Arc::from("n"), slices(device, units)).map(|_| ())
    }

    fn gang(places: &[(u128, &str, u64)]) -> Arc<[Member]> {
        let member = |(uid, device, units): &(u128, &str, u64)| Member {
            uid: Uid(*uid),
            node: Arc::from("n"),
            slices: slices(device, *units),
        };
        places.iter().map(member).collect()
    }

    #[test]
    fn a_reservation_is_for_one_pod_and_ends() {
        let mut book = book(&[]);
        book.reserve(Uid(1), slices("d0", 8), 100).unwrap();
        assert_eq!(bind(&mut book, 2, "d0", 3), Err(Refused::NoRoom));
        book.expire(99);
        assert_eq!(bind(&mut book, 2, "d0", 3), Err(Refused::NoRoom));
        book.expire(100);
        bind(&mut book, 2, "d0", 3).unwrap();
        assert_eq!(book.reserve(Uid(1), slices("d0", 8), 200), Err(Refused::NoRoom));
    }

    #[test]
    fn a_gang_is_kept_whole_or_not_at_all() {
        let mut book = book(&[bound(&commit(9, "d1", 5), 1)]);
        let too_much = gang(&[(1, "d0", 10), (2, "d1", 6)]);
        assert_eq!(book.reserve_gang(too_much, 100), Err(Refused::NoRoom));
        book.reserve_gang(gang(&[(1, "d0", 10), (2, "d1", 5)]), 100).unwrap();
        assert_eq!(bind(&mut book, 1, "d0", 10), Err(Refused::NotPlanned));
        assert_eq!(book.bind_member(Uid(3)), Err(Refused::NotPlanned));
        // One that has not begun ends like any reservation.
        book.expire(100);
        assert_eq!(book.bind_member(Uid(1)), Err(Refused::NotPlanned));
    }

    #[test]
    fn a_gang_that_has_begun_outlives_its_time_and_its_leader() {
        let mut first = book(&[waits(1, 1), waits(2, 1)]);
        first.reserve_gang(gang(&[(1, "d0", 10), (2, "d1", 10)]), 100).unwrap();
        let commit = first.bind_member(Uid(1)).unwrap();
        first.expire(1000);
        assert_eq!(bind(&mut first, 3, "d1", 1), Err(Refused::NoRoom));
        assert_eq!(first.reserve_gang(gang(&[(2, "d1", 1)]), 2000), Err(Refused::NotPlanned));
        // A member whose Binding came to nothing keeps its place.
        first.bind_member(Uid(2)).unwrap();
        first.settled(&waits(2, 1));
        assert_eq!(bind(&mut first, 3, "d1", 1), Err(Refused::NoRoom));
        let mut next = Book::take_over(2, devices(), &[bound(&commit, 5), waits(2, 1)], 5);
        assert_eq!(bind(&mut next, 3, "d1", 1), Err(Refused::NoRoom));
        assert_eq!(next.bind_member(Uid(2)).unwrap().node, commit.node);
        // A member that is gone is not waited for.
        let mut alone = Book::take_over(3, devices(), &[bound(&commit, 5)], 5);
        bind(&mut alone, 3, "d1", 10).unwrap();
        // When nothing is left of it, nothing is kept.
        let mut last = Book::take_over(3, devices(), &[bound(&commit, 5), waits(2, 1)], 5);
        last.observe(&ended(1, 6));
        last.expire(0);
        bind(&mut last, 3, "d1", 1).unwrap();
    }

    #[test]
    fn the_room_of_victims_is_promised_once() {
        let mut book = book(&[bound(&commit(1, "d0", 6), 1)]);
        book.preempt(Uid(2), slices("d0", 8), BTreeSet::from([Uid(1)]), 100).unwrap();
        assert_eq!(book.victims().collect::<Vec<_>>(), [Uid(1)]);
        let again = book.preempt(Uid(3), slices("d0", 2), BTreeSet::from([Uid(1)]), 100);
        assert_eq!(again, Err(Refused::Promised));
        // Eight are promised, of which six are still the victim's.
        assert_eq!(bind(&mut book, 2, "d0", 8), Err(Refused::NoRoom));
        assert_eq!(bind(&mut book, 4, "d0", 3), Err(Refused::NoRoom));
        bind(&mut book, 4, "d0", 2).unwrap();
        book.observe(&ended(1, 7));
        assert_eq!(book.victims().next(), None);
        bind(&mut book, 2, "d0", 8).unwrap();
    }
}
