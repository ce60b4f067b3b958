use std::collections::BTreeSet;
use std::sync::Arc;

use super::book::{Book, Refused};
use super::commit::{Member, PodView, Slices, Uid};
use super::page::Kept;

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

    /// A commit that shows a gang keeps the places of those members that are not bound yet and `may_come`.
    pub(super) fn keep_gang_of(&mut self, pod: &PodView, may_come: impl Fn(&Book, Uid) -> bool) {
        let Some(commit) = pod.holds() else { return };
        for member in commit.gang.iter() {
            let waits = self.vacant(member.uid).is_ok()
                && self.pages.get(&member.uid).is_none_or(|page| page.kept.is_none());
            if waits && may_come(self, member.uid) {
                let gang = commit.gang.clone();
                // As with commits: it is a fact, whether or not there is room.
                let kept = Kept { slices: member.slices.clone(), until: 0, victims: BTreeSet::new(), gang };
                self.change(member.uid, |page| page.kept = Some(kept));
            }
        }
    }

    fn keep(&mut self, uid: Uid, kept: Kept) -> Result<(), Refused> {
        self.vacant(uid)?;
        if !self.has_room(uid, &kept.slices, &kept.victims) {
            return Err(Refused::NoRoom);
        }
        self.change(uid, |page| page.kept = Some(kept));
        Ok(())
    }

    /// Whether a member of this gang holds its place.
    fn has_begun(&self, gang: &[Member]) -> bool {
        let holds = |member: &Member| self.pages.get(&member.uid).is_some_and(|page| page.held.is_some());
        gang.iter().any(holds)
    }
}
