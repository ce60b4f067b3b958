use std::collections::BTreeSet;
use std::sync::Arc;

use cleave_sched::protocol::{Commit, Member, Phase, PodView, Uid};

use crate::state::{Flight, State};
use crate::steps::Step;
use crate::world::{Bug, CONTAINERS, World, life_of, name_of, node_name};

impl World {
    /// The state after a step, or `None` if it does not happen or changes nothing.
    pub fn take(&self, before: &State, step: Step) -> Option<State> {
        let mut state = before.clone();
        match step {
            Step::Decide { scheduler, name, place } => {
                let slices = self.slices(self.pods[name].units, place);
                let pod = state.pods[name].now().uid;
                let commit =
                    state.book(scheduler, |book| book.bind(pod, node_name(place.node), slices).ok())?;
                state.send(scheduler, commit, None);
            }
            Step::BindMember { scheduler, name } => {
                let pod = state.pods[name].now().uid;
                let commit = state.book(scheduler, |book| book.bind_member(pod).ok())?;
                state.send(scheduler, commit, None);
            }
            Step::ReserveGang { scheduler, gang, places } => {
                let members = self.unbound(before, gang).zip(places).map(|(name, place)| Member {
                    uid: before.pods[name].now().uid,
                    node: node_name(place.node),
                    slices: self.slices(self.pods[name].units, place),
                });
                let members = members.collect();
                state.book(scheduler, |book| book.reserve_gang(members, SOON).ok())?;
            }
            Step::Reserve { scheduler, name, place } => {
                state.left.reservations -= 1;
                let slices = self.slices(self.pods[name].units, place);
                let pod = state.pods[name].now().uid;
                state.book(scheduler, |book| book.reserve(pod, slices, SOON).ok())?;
            }
            Step::Expire { scheduler } => state.tell(scheduler, |book| book.expire(SOON))?,
            Step::Preempt { scheduler, name, victim } => {
                state.left.preemptions -= 1;
                let victim = before.pods[victim].now();
                let commit = victim.holds()?;
                let device = &commit.slices.values().flatten().next()?.device;
                let place = self.places().find(|place| place.name() == *device)?;
                let slices = self.slices(self.pods[name].units, place);
                let pod = before.pods[name].now().uid;
                let victims = BTreeSet::from([victim.uid]);
                state.book(scheduler, |book| book.preempt(pod, slices, victims, SOON).ok())?;
            }
            Step::Evict { victim, .. } => state.delete(victim),
            Step::Resize { scheduler, name } => {
                state.left.resizes -= 1;
                let now = before.pods[name].now();
                let device = &now.holds()?.slices.values().flatten().next()?.device;
                let place = self.places().find(|place| place.name() == *device)?;
                let slices = self.slices(self.pods[name].resize?, place);
                let (commit, version) = state.book(scheduler, |book| book.resize(now.uid, slices).ok())?;
                state.send(scheduler, commit, Some(version));
            }
            Step::Land { flight } => self.land(&mut state, flight),
            Step::Drop { flight } => {
                state.flights.remove(flight);
            }
            Step::Retry { flight } => {
                state.left.retries -= 1;
                let again = state.flights[flight].clone();
                state.flights.insert(flight, again);
            }
            Step::Read { scheduler, uid } => {
                let own = |flight: &Flight| flight.from == Some(scheduler) && flight.commit.uid == uid;
                if state.flights.iter().any(|flight| own(flight)) {
                    return None;
                }
                let view = before.pods[name_of(uid)].lives[life_of(uid)].last()?;
                state.tell(scheduler, |book| book.settled(view))?;
            }
            Step::Tell { scheduler, uid, at } => {
                let view = self.shown(&before.pods[name_of(uid)].lives[life_of(uid)][at]);
                state.tell(scheduler, |book| book.observe(&view))?;
            }
            Step::TellNode { node, uid, at } => {
                let view = self.shown(&before.pods[name_of(uid)].lives[life_of(uid)][at]);
                self.tell_node(&mut state, node, &view);
            }
            Step::Crash { scheduler } => {
                state.left.crashes[scheduler] -= 1;
                state.resign(scheduler);
            }
            Step::Resign { scheduler } => state.resign(scheduler),
            Step::Lead { scheduler } => {
                if state.books.iter().any(Option::is_some) || !state.flights.is_empty() {
                    state.left.rivals -= 1;
                }
                state.lead(self, scheduler);
            }
            Step::Start { node, uid, container } => self.start(&mut state, node, uid, container)?,
            Step::End { name } => {
                let pod = &before.pods[name];
                state.stop(pod.node()?, pod.now().uid);
                state.write(pod.now().uid, |view| view.phase = Phase::Ended);
            }
            Step::Stop { node, uid } => state.stop(node, uid),
            Step::Confirm { node, uid } => {
                let commit = before.find(uid)?.commit.as_ref()?;
                before.nodes[node].ledger.granted().find(|granted| *granted == commit)?;
                state.write(uid, |view| view.in_force = true);
            }
            Step::Judge { node } => state.judge(node, self.bug),
            Step::Restart { node } => {
                state.left.restarts[node] -= 1;
                state.restart(self, node);
            }
            Step::Lose { node } => {
                state.left.losses -= 1;
                state.lose(node, true);
                self.tell_devices(&mut state);
            }
            Step::Return { node } => {
                state.lose(node, false);
                self.tell_devices(&mut state);
            }
            Step::Collect { name } => state.delete(before.pods[name].now().uid),
            Step::Delete { name } => state.delete(before.pods[name].now().uid),
        }
        (state != *before).then_some(state)
    }

    fn land(&self, state: &mut State, flight: usize) {
        let Flight { from, commit, version } = Flight::clone(&state.flights.remove(flight));
        let uid = commit.uid;
        let fits = |view: &PodView| match version {
            Some(version) => !view.is_over() && view.version == version,
            None => !view.is_over() && view.commit.is_none(),
        };
        if state.find(uid).is_some_and(fits) {
            state.write(uid, |view| (view.commit, view.in_force) = (Some(commit), false));
        } else if let (Bug::ConflictFrees, Some(sender)) = (self.bug, from) {
            state.tell(sender, |book| book.settled(&refused(uid)));
        }
    }

    fn tell_node(&self, state: &mut State, at: usize, view: &PodView) {
        let uid = view.uid;
        state.node(at, |node| {
            node.account(|ledger| ledger.observe(view));
            if self.bug == Bug::ReleaseOnGone && view.phase == Phase::Gone {
                node.account(|ledger| CONTAINERS.iter().for_each(|container| ledger.stopped(uid, container)));
            }
            if let (Bug::ByName, Some(commit)) = (self.bug, view.holds()) {
                node.by_name.entry(name_of(uid)).or_insert(commit.clone());
            }
            Some(())
        });
        if self.bug == Bug::RejectOnHearsay && state.nodes[at].ledger.waiting().any(|waiting| waiting == uid)
        {
            state.needless |= !state.overlapped;
            state.delete(uid);
        }
    }

    fn start(&self, state: &mut State, node: usize, uid: Uid, container: usize) -> Option<()> {
        let name = CONTAINERS[container];
        let stored = state.find(uid).and_then(|view| view.commit.clone());
        state.node(node, |node| {
            let started = node.alive.keys().filter(|(of, _)| *of == uid).count();
            let granted = node.account(|ledger| ledger.start(uid, name).map(<[_]>::to_vec));
            let of = |commit: &Arc<Commit>| commit.slices.get(name).cloned();
            let claims = match self.bug {
                Bug::NodeTrusts => stored.as_ref().and_then(of),
                Bug::ByName => granted.and(node.by_name.get(&name_of(uid)).and_then(of)),
                Bug::ByOrder => granted.and(stored.and_then(|it| it.slices.values().nth(started).cloned())),
                _ => granted,
            };
            node.alive.insert((uid, container), claims?);
            Some(())
        })
    }

    /// Schedulers know which nodes are there.
    fn tell_devices(&self, state: &mut State) {
        let there = [!state.nodes[0].lost, !state.nodes[1].lost];
        for scheduler in 0..2 {
            state.tell(scheduler, |book| book.set_devices(self.all_devices(|node| there[node])));
        }
    }

    /// What an observer makes of an event.
    fn shown(&self, view: &PodView) -> PodView {
        let ended = self.bug == Bug::ReleaseOnDelete && view.phase == Phase::Ended;
        let phase = if ended { Phase::Running } else { view.phase };
        PodView { phase, ..view.clone() }
    }
}

/// Reservations end then; the model's time is no longer than that.
const SOON: u64 = 1;

fn refused(uid: Uid) -> PodView {
    PodView { uid, version: 0, phase: Phase::Pending, commit: None, in_force: false }
}
