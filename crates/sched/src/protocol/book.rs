use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::commit::{Amount, Claim, Commit, DeviceName, PodView, Uid, fits};

/// What one scheduler believes: what is committed, what it is about to commit, and for whom it keeps room. Rebuilt from
/// a listing whenever there is doubt; written by one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Book {
    epoch: u64,
    devices: BTreeMap<DeviceName, Amount>,
    held: BTreeMap<Uid, Held>,
    /// The newest version seen of each pod, and whether it had ended then: an older event must not bring it back.
    seen: BTreeMap<Uid, Seen>,
    /// Everything up to this version was in the listing; older events say nothing new.
    listed: u64,
    reserved: BTreeMap<Uid, Reservation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Seen {
    version: u64,
    over: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Held {
    commit: Commit,
    /// The commit it will have once a resize is confirmed; both are held until then.
    next: Option<Commit>,
    standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Standing {
    /// A Binding was sent and nobody knows yet what became of it.
    Assumed,
    Committed,
}

/// Room kept for one pod until some time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Reservation {
    claims: Vec<Claim>,
    until: u64,
    /// Pods that must be gone first: their room is counted for both until they are.
    victims: BTreeSet<Uid>,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    Accepted,
    /// Refused for good: wrong UID, bound already, being deleted.
    Conflict,
    /// No answer: it may or may not have happened.
    Unknown,
}

/// Why the book does not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// The pod holds or is about to hold devices already.
    Held,
    /// It has ended, or was deleted.
    Ended,
    NoRoom,
    Unknown,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Held => "the pod has its devices already",
            Refused::Ended => "the pod has ended",
            Refused::NoRoom => "the devices were taken meanwhile",
            Refused::Unknown => "no such pod",
        })
    }
}

impl std::error::Error for Refused {}

impl Book {
    /// Takes over: what is held is what the listing says, nothing is assumed. `listed` is the listing's version. To be called
    /// when the old leader's lease and its longest request are over.
    pub fn take_over(
        epoch: u64,
        devices: BTreeMap<DeviceName, Amount>,
        pods: &[PodView],
        listed: u64,
    ) -> Book {
        let mut book = Book {
            epoch,
            devices,
            held: BTreeMap::new(),
            seen: BTreeMap::new(),
            listed: 0,
            reserved: BTreeMap::new(),
        };
        pods.iter().for_each(|pod| book.observe(pod));
        book.listed = listed;
        book
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Checks a decision against the newest state and assumes it: the commit to send as a Binding, or why not. A
    /// reservation for this pod makes room for it and ends with it.
    pub fn bind(&mut self, commit: Commit) -> Result<Commit, Refused> {
        let commit = Commit { epoch: self.epoch, ..commit };
        if self.held.contains_key(&commit.uid) {
            return Err(Refused::Held);
        }
        if self.ended(commit.uid) {
            return Err(Refused::Ended);
        }
        if !self.has_room(commit.uid, commit.claims(), &BTreeSet::new()) {
            return Err(Refused::NoRoom);
        }
        self.reserved.remove(&commit.uid);
        let held = Held { commit: commit.clone(), next: None, standing: Standing::Assumed };
        self.held.insert(commit.uid, held);
        Ok(commit)
    }

    /// What became of a Binding. An unknown answer keeps the room until an event or a read of the pod tells.
    pub fn answered(&mut self, uid: Uid, answer: Answer) {
        match answer {
            Answer::Accepted => {
                if let Some(held) = self.held.get_mut(&uid) {
                    held.standing = Standing::Committed;
                }
            }
            Answer::Conflict => {
                if self.held.get(&uid).is_some_and(|held| held.standing == Standing::Assumed) {
                    self.held.remove(&uid);
                }
            }
            Answer::Unknown => {}
        }
    }

    /// Pods whose Binding nobody knows about: to be read from the API server.
    pub fn in_doubt(&self) -> impl Iterator<Item = Uid> {
        let doubtful = self.held.iter().filter(|(_, held)| held.standing == Standing::Assumed);
        doubtful.map(|(uid, _)| *uid)
    }

    /// A pod in doubt was read after its Binding could no longer arrive: what it shows is the truth, and one that shows no
    /// commit has none.
    pub fn settled(&mut self, pod: &PodView) {
        if pod.holds().is_none() {
            self.answered(pod.uid, Answer::Conflict);
        }
        self.observe(pod);
    }

    /// Takes in an event. Twice is as good as once, and an old one after a newer one changes nothing.
    pub fn observe(&mut self, pod: &PodView) {
        if pod.version <= self.listed
            || self.seen.get(&pod.uid).is_some_and(|seen| pod.version <= seen.version)
        {
            return;
        }
        self.seen.insert(pod.uid, Seen { version: pod.version, over: pod.is_over() });
        match pod.holds() {
            Some(commit) => {
                // A commit of somebody else's is held as well, whether or not there is room: it is a fact.
                let next = self.held.get(&pod.uid).and_then(|held| held.next.clone());
                let next = next.filter(|next| next.slices != commit.slices);
                let held = Held { commit: commit.clone(), next, standing: Standing::Committed };
                self.held.insert(pod.uid, held);
                self.reserved.remove(&pod.uid);
            }
            None if pod.is_over() => {
                self.held.remove(&pod.uid);
                self.reserved.remove(&pod.uid);
            }
            // Pending without a commit, and our Binding may be on its way.
            None => {}
        }
    }

    /// Keeps room for a pod until `until`, beyond the room of `victims`, who are on their way out.
    pub fn reserve(
        &mut self,
        uid: Uid,
        claims: Vec<Claim>,
        victims: BTreeSet<Uid>,
        until: u64,
    ) -> Result<(), Refused> {
        if self.held.contains_key(&uid) {
            return Err(Refused::Held);
        }
        if self.ended(uid) {
            return Err(Refused::Ended);
        }
        if !self.has_room(uid, claims.iter(), &victims) {
            return Err(Refused::NoRoom);
        }
        self.reserved.insert(uid, Reservation { claims, until, victims });
        Ok(())
    }

    /// Keeps room for all members of a gang, or for none.
    pub fn reserve_gang(&mut self, members: Vec<(Uid, Vec<Claim>)>, until: u64) -> Result<(), Refused> {
        let mut trial = self.clone();
        for (uid, claims) in members {
            trial.reserve(uid, claims, BTreeSet::new(), until)?;
        }
        *self = trial;
        Ok(())
    }

    /// Lets go of what was kept too long: whoever it was for has to ask again.
    pub fn expire(&mut self, now: u64) {
        self.reserved.retain(|_, reservation| reservation.until > now);
    }

    /// Checks new slices for a running pod: the commit to write with the pod's UID and version as preconditions. Old and new
    /// are both held, device by device the greater, until an event shows which it is.
    pub fn resize(&mut self, next: Commit) -> Result<Commit, Refused> {
        let next = Commit { epoch: self.epoch, ..next };
        let held = self.held.get(&next.uid).ok_or(Refused::Unknown)?;
        if held.standing == Standing::Assumed || held.next.is_some() || held.commit.node != next.node {
            return Err(Refused::Held);
        }
        let mut trial = self.clone();
        trial.held.entry(next.uid).and_modify(|held| held.next = Some(next.clone()));
        let claims: Vec<Claim> = trial.all_claims(None, &BTreeSet::new()).collect();
        if !fits(claims.iter(), &self.devices) {
            return Err(Refused::NoRoom);
        }
        *self = trial;
        Ok(next)
    }

    /// A resize that was refused is as if it had not been asked for.
    pub fn resize_failed(&mut self, uid: Uid) {
        if let Some(held) = self.held.get_mut(&uid) {
            held.next = None;
        }
    }

    /// What is held, for comparison with what others see.
    pub fn commits(&self) -> impl Iterator<Item = &Commit> {
        self.held.values().map(|held| &held.commit)
    }

    /// Whether the newest that was seen of a pod is that it holds nothing and never will. A pod that was never seen may
    /// come later than the decision for it.
    fn ended(&self, uid: Uid) -> bool {
        self.seen.get(&uid).is_some_and(|seen| seen.over)
    }

    /// Whether these claims fit beside all that is held or kept for others, not counting `leaving`.
    fn has_room<'a>(
        &self,
        uid: Uid,
        claims: impl Iterator<Item = &'a Claim>,
        leaving: &BTreeSet<Uid>,
    ) -> bool {
        let all: Vec<Claim> = self.all_claims(Some(uid), leaving).chain(claims.cloned()).collect();
        fits(all.iter(), &self.devices)
    }

    /// Claims of all pods but one. Where a reservation waits for victims, the greater of both counts, not the sum: the
    /// room is the same room.
    fn all_claims<'a>(
        &'a self,
        but: Option<Uid>,
        leaving: &'a BTreeSet<Uid>,
    ) -> impl Iterator<Item = Claim> + 'a {
        let committed = self
            .held
            .iter()
            .filter(move |(uid, _)| Some(**uid) != but && !leaving.contains(uid))
            .flat_map(|(_, held)| held.claims());
        committed.chain(self.kept(but, leaving))
    }

    /// What reservations keep beyond the room of their victims that are still there.
    fn kept<'a>(&'a self, but: Option<Uid>, leaving: &'a BTreeSet<Uid>) -> impl Iterator<Item = Claim> + 'a {
        self.reserved.iter().filter(move |(uid, _)| Some(**uid) != but).flat_map(|(_, reservation)| {
            // Room of a victim that is counted as gone covers nobody: it is not promised twice.
            let there = reservation.victims.difference(leaving).filter_map(|victim| self.held.get(victim));
            let mut covered = super::commit::sums(there.flat_map(|held| held.commit.claims()));
            reservation.claims.iter().map(move |claim| {
                let cover = covered.remove(&claim.device).unwrap_or_default();
                let amount = Amount {
                    memory_mib: claim.amount.memory_mib.saturating_sub(cover.memory_mib),
                    compute: claim.amount.compute.saturating_sub(cover.compute),
                };
                Claim { device: claim.device.clone(), amount }
            })
        })
    }
}

impl Held {
    /// What the pod holds; while it is being resized, per device the greater of before and after.
    fn claims(&self) -> Vec<Claim> {
        let now = super::commit::sums(self.commit.claims());
        let mut most = now;
        for (device, amount) in self.next.iter().flat_map(|next| super::commit::sums(next.claims())) {
            let sum = most.entry(device).or_default();
            sum.memory_mib = sum.memory_mib.max(amount.memory_mib);
            sum.compute = sum.compute.max(amount.compute);
        }
        most.into_iter().map(|(device, amount)| Claim { device, amount }).collect()
    }
}
