use std::collections::BTreeSet;
use std::sync::Arc;

use super::commit::{Amount, Commit, DeviceName, Member, PodView, Slices, Uid, devices, on};

/// What a book knows about one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Page {
    /// The newest version heard of; an older event must not bring back what it says.
    pub(super) version: u64,
    /// It holds nothing and never will again.
    pub(super) over: bool,
    pub(super) held: Option<Held>,
    pub(super) kept: Option<Kept>,
}

/// Devices that a pod has, or may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Held {
    pub commit: Arc<Commit>,
    /// The Binding was sent and nobody knows yet what became of it.
    pub assumed: bool,
    pub in_force: bool,
    /// A resize that was sent, and nobody knows yet what became of it.
    pub next: Option<Arc<Commit>>,
}

/// Room kept for a pod until some time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kept {
    pub slices: Slices,
    pub until: u64,
    /// Pods that must be gone first: their room is counted for both until they are.
    pub victims: BTreeSet<Uid>,
    /// The gang it is kept for; empty for a pod by itself.
    pub gang: Arc<[Member]>,
}

impl Page {
    /// The newest version heard of.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes in what an event or a listing shows, unless it is old. That a pod is over is never old: it stays so.
    pub(super) fn observe(&mut self, pod: &PodView) {
        if self.over || pod.version <= self.version && !pod.is_over() {
            return;
        }
        self.version = self.version.max(pod.version);
        if pod.is_over() {
            (self.over, self.held, self.kept) = (true, None, None);
            return;
        }
        // Without a commit it is pending, and our Binding may be on its way.
        let Some(commit) = pod.holds() else { return };
        // A commit of somebody else's is held as well, whether or not there is room: it is a fact.
        let next = self.held.take().and_then(|held| held.next);
        let next = next.filter(|next| next != commit);
        let in_force = pod.in_force || commit.before.is_none();
        self.held = Some(Held { commit: commit.clone(), assumed: false, in_force, next });
        self.kept = None;
    }

    /// The last request for this pod has arrived by now if it ever does, and this is what the pod shows.
    pub(super) fn settle(&mut self, pod: &PodView) {
        let Some(held) = &mut self.held else { return };
        held.next = None;
        if held.assumed && pod.holds().is_none() {
            let Commit { slices, gang, .. } = &*held.commit;
            // Kept for as long as the gang stands; one that has not begun has to ask again.
            let kept =
                Kept { slices: slices.clone(), until: 0, victims: BTreeSet::new(), gang: gang.clone() };
            self.kept = (!gang.is_empty()).then_some(kept);
            self.held = None;
        }
    }

    /// Whether something was sent of which nobody knows what became.
    pub(super) fn in_doubt(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.assumed || held.next.is_some())
    }

    /// Whether nothing is left that an older event could spoil.
    pub(super) fn is_blank(&self, known: u64) -> bool {
        (self.over || self.version == 0)
            && self.version <= known
            && self.held.is_none()
            && self.kept.is_none()
    }

    /// Devices something is held or kept of; one may come twice.
    pub(super) fn devices(&self) -> impl Iterator<Item = &DeviceName> {
        let held = self.held.iter().flat_map(Held::devices);
        held.chain(self.kept.iter().flat_map(|kept| devices(&kept.slices)))
    }
}

impl Held {
    pub fn assumed(commit: Arc<Commit>) -> Held {
        Held { commit, assumed: true, in_force: true, next: None }
    }

    /// What it takes of a device: while it is being resized the greater of before and after.
    pub fn on(&self, device: &DeviceName) -> Amount {
        let now = if self.in_force { self.commit.on(device) } else { self.commit.most_on(device) };
        self.next.iter().fold(now, |most, next| most.max(next.most_on(device)))
    }

    fn devices(&self) -> impl Iterator<Item = &DeviceName> {
        self.commit.devices().chain(self.next.iter().flat_map(|next| next.devices()))
    }
}

impl Kept {
    /// What it keeps of a device beyond `covered`, the room of its victims that are still there.
    pub fn on(&self, device: &DeviceName, covered: Amount) -> Amount {
        on(&self.slices, device).less(covered)
    }
}
