//! The commit protocol under a model checker: two schedulers, two nodes with a device each, pods that are deleted and
//! come back under their name, requests that arrive late, events that come in any order and twice, and crashes. The model
//! drives the functions of `cleave_sched::protocol`; only the world around them is made up here.

use std::collections::BTreeMap;
use std::sync::Arc;

use cleave_sched::protocol::{
    Amount, Answer, Book, Claim, Commit, DeviceName, Ledger, NodeName, Phase, PodView, Uid, Verdict,
};
use stateright::{Checker, HasDiscoveries, Model, Property};

/// A mistake to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    None,
    /// The node grants whatever is bound to it.
    NodeTrusts,
    /// Nodes remember a pod's slices by its name, and the next one of that name gets them.
    ByName,
    /// Devices are given back when the pod is deleted, not when it ends.
    ReleaseOnDelete,
    /// A rejected pod is left where it is.
    LeaveRejected,
}

/// The world: how many pods, crashes and late requests there are.
#[derive(Clone, Debug)]
struct World {
    bug: Bug,
    pods: usize,
    recreations: u8,
    crashes: u8,
    rivals: u8,
    restarts: u8,
    duplicates: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// What the API server stores; index = name. `None` between deletion and recreation.
    pods: Vec<Option<Stored>>,
    next_uid: u128,
    lease: Lease,
    books: [Option<Book>; 2],
    /// Bindings sent and not yet arrived.
    requests: Vec<(usize, Commit)>,
    /// Events not yet delivered, for schedulers 0 and 1 and nodes 2 and 3.
    events: [Vec<PodView>; 4],
    nodes: [Ledger; 2],
    /// A seeded mistake: nobody gives devices back before the pod is deleted.
    forgetful: bool,
    /// A seeded mistake: slices by the name of a pod.
    by_name: BTreeMap<usize, Vec<Claim>>,
    /// What runs: uid and what it was started with.
    running: BTreeMap<Uid, Vec<Claim>>,
    recreations: u8,
    crashes: u8,
    rivals: u8,
    restarts: u8,
    duplicates: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Stored {
    uid: Uid,
    version: u64,
    phase: Phase,
    commit: Option<Commit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Lease {
    holder: usize,
    epoch: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// A scheduler decides: pod by name, node.
    Decide(usize, usize, usize),
    /// A Binding arrives, and its sender hears of it, or does not.
    Arrive(usize, bool),
    /// An observer hears of an event.
    Hear(usize, usize),
    /// The same, but it will hear of it again.
    HearTwice(usize, usize),
    /// A scheduler loses all it knows.
    Crash(usize),
    /// A scheduler becomes leader, whether or not the other one has noticed.
    Lead(usize),
    /// A leader reads a pod it is in doubt about.
    Settle(usize, Uid),
    /// The kubelet starts a container of a pod bound to a node.
    Start(usize),
    /// A container ends.
    End(usize),
    /// A user deletes a pod; a controller makes another of the same name.
    Recreate(usize),
    /// The node daemon starts again with what runs.
    Restart(usize),
}

/// Devices have two units; the pods want 2, 1 and 1 of them.
const UNITS: [u64; 3] = [2, 1, 1];
const CONTAINER: &str = "c";
const NOBODY: usize = 2;

/// The version of a deletion. Versions are counted per pod here: only those of one pod are ever compared, and a common
/// count would make the same state look different after every order of steps.
const LAST: u64 = 99;

fn name_of(uid: Uid) -> usize {
    (uid.0 % 16) as usize
}

fn node_name(node: usize) -> NodeName {
    Arc::from(["n0", "n1"][node])
}

fn device_name(node: usize) -> DeviceName {
    Arc::from(["d0", "d1"][node])
}

fn whole() -> Amount {
    Amount { memory_mib: 2, compute: 2 }
}

fn devices(of: impl Iterator<Item = usize>) -> BTreeMap<DeviceName, Amount> {
    of.map(|node| (device_name(node), whole())).collect()
}

fn commit(uid: Uid, node: usize) -> Commit {
    let units = UNITS[name_of(uid)];
    let amount = Amount { memory_mib: units, compute: units as u32 };
    let claims = vec![Claim { device: device_name(node), amount }];
    Commit { uid, epoch: 0, node: node_name(node), slices: [(Arc::from(CONTAINER), claims)].into() }
}

fn sum<'a>(claims: impl Iterator<Item = &'a Claim>, node: usize) -> u64 {
    let device = device_name(node);
    claims.filter(|claim| claim.device == device).map(|claim| claim.amount.memory_mib).sum()
}

impl Stored {
    fn view(&self) -> PodView {
        PodView { uid: self.uid, version: self.version, phase: self.phase, commit: self.commit.clone() }
    }
}

impl State {
    fn new(world: &World) -> State {
        let fresh = |name: usize| Stored {
            uid: Uid(16 + name as u128),
            version: 1,
            phase: Phase::Pending,
            commit: None,
        };
        let pods: Vec<Option<Stored>> = (0..world.pods).map(|name| Some(fresh(name))).collect();
        let ledger = |node: usize| Ledger::new(node_name(node), devices([node].into_iter()), &[]);
        let mut state = State {
            pods,
            next_uid: 2,
            lease: Lease { holder: 0, epoch: 0 },
            books: [None, None],
            requests: Vec::new(),
            events: Default::default(),
            nodes: [ledger(0), ledger(1)],
            forgetful: world.bug == Bug::ReleaseOnDelete,
            by_name: BTreeMap::new(),
            running: BTreeMap::new(),
            recreations: world.recreations,
            crashes: world.crashes,
            rivals: world.rivals,
            restarts: world.restarts,
            duplicates: world.duplicates,
        };
        state.lead(0);
        state
    }

    fn listing(&self) -> Vec<PodView> {
        self.pods.iter().flatten().map(Stored::view).collect()
    }

    fn lead(&mut self, scheduler: usize) {
        self.lease = Lease { holder: scheduler, epoch: self.lease.epoch + 1 };
        let book = Book::take_over(self.lease.epoch, devices(0..2), &self.listing(), 0);
        self.books[scheduler] = Some(book);
        self.events[scheduler].clear();
    }

    fn find(&mut self, uid: Uid) -> Option<&mut Stored> {
        self.pods[name_of(uid)].as_mut().filter(|pod| pod.uid == uid)
    }

    /// Changes a pod and tells everybody who watches.
    fn write(&mut self, uid: Uid, change: impl FnOnce(&mut Stored)) {
        let Some(pod) = self.find(uid) else { return };
        change(pod);
        pod.version += 1;
        let view = pod.view();
        self.tell(view);
    }

    fn tell(&mut self, mut view: PodView) {
        // That it runs changes nothing for anybody here.
        if view.phase == Phase::Running {
            return;
        }
        let bound = view.commit.as_ref().map(|commit| commit.node.clone());
        let over = view.is_over();
        if self.forgetful && view.phase == Phase::Ended {
            view.phase = Phase::Running;
        }
        // A pod ends on its node, and the node knows first.
        if over && bound.is_some() {
            self.nodes[usize::from(bound == Some(node_name(1)))].observe(&view);
        }
        for (observer, queue) in self.events.iter_mut().enumerate() {
            let concerned = match observer {
                0 | 1 => self.books[observer].is_some() && (view.commit.is_some() || over),
                node => bound == Some(node_name(node - 2)) && !over,
            };
            if concerned {
                // A watch may skip states in between, so two of a pod are enough to come out of order.
                let of_this = |event: &PodView| event.uid == view.uid;
                if queue.iter().filter(|event| of_this(event)).count() >= 2
                    && let Some(oldest) = queue.iter().position(of_this)
                {
                    queue.remove(oldest);
                }
                queue.push(view.clone());
            }
        }
    }

    /// Deletes a pod; its controller makes another of that name.
    fn recreate(&mut self, uid: Uid) {
        let Some(pod) = self.find(uid) else { return };
        let mut view = pod.view();
        let name = name_of(uid);
        self.running.remove(&uid);
        (view.version, view.phase) = (LAST, Phase::Gone);
        self.tell(view);
        let uid = Uid(self.next_uid * 16 + name as u128);
        self.next_uid += 1;
        self.pods[name] = Some(Stored { uid, version: 1, phase: Phase::Pending, commit: None });
    }

    fn arrive(&mut self, at: usize, heard: bool) {
        let (sender, commit) = self.requests.remove(at);
        let uid = commit.uid;
        let free = |pod: &mut Stored| pod.phase == Phase::Pending && pod.commit.is_none();
        let accepted = self.find(uid).is_some_and(free);
        if accepted {
            self.write(uid, |pod| pod.commit = Some(commit));
        }
        let answer = match (heard, accepted) {
            (false, _) => Answer::Unknown,
            (true, true) => Answer::Accepted,
            (true, false) => Answer::Conflict,
        };
        if let Some(Some(book)) = self.books.get_mut(sender) {
            book.answered(uid, answer);
        }
    }

    fn hear(&mut self, observer: usize, event: PodView, bug: Bug) {
        if observer < 2 {
            if let Some(book) = &mut self.books[observer] {
                book.observe(&event);
            }
            return;
        }
        let verdict = self.nodes[observer - 2].observe(&event);
        if let (Bug::ByName, Some(commit)) = (bug, event.holds()) {
            self.by_name.entry(name_of(event.uid)).or_insert(commit.slices[CONTAINER].clone());
        }
        if matches!(verdict, Verdict::Reject(_)) && bug != Bug::LeaveRejected && bug != Bug::NodeTrusts {
            self.recreate(event.uid);
        }
    }

    /// What the kubelet would start this pod with, if the node lets it.
    fn startable(&self, name: usize, bug: Bug) -> Option<Vec<Claim>> {
        let pod = self.pods[name].as_ref().filter(|pod| pod.phase == Phase::Pending)?;
        let commit = pod.commit.as_ref()?;
        let node = usize::from(commit.node == node_name(1));
        let ledger = &self.nodes[node];
        match bug {
            Bug::NodeTrusts => commit.slices.get(CONTAINER).cloned(),
            Bug::ByName => self.by_name.get(&name).cloned(),
            _ => ledger.start(pod.uid, CONTAINER).map(<[Claim]>::to_vec),
        }
    }

    fn on_node(&self, node: usize) -> Vec<Commit> {
        let here =
            |commit: &&Commit| commit.node == node_name(node) && self.running.contains_key(&commit.uid);
        self.pods.iter().flatten().filter_map(|pod| pod.commit.as_ref()).filter(here).cloned().collect()
    }

    fn all_ended(&self) -> bool {
        self.pods.iter().flatten().all(|pod| pod.phase == Phase::Ended)
    }
}

impl Model for World {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self)]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let waiting = |pod: &Option<Stored>| {
            pod.as_ref().is_some_and(|pod| pod.phase == Phase::Pending && pod.commit.is_none())
        };
        for (scheduler, book) in state.books.iter().enumerate() {
            let Some(book) = book else { continue };
            for (name, pod) in state.pods.iter().enumerate().filter(|(_, pod)| waiting(pod)) {
                for node in 0..2 {
                    let uid = pod.as_ref().map_or(Uid(0), |pod| pod.uid);
                    if book.clone().bind(commit(uid, node)).is_ok() {
                        steps.push(Step::Decide(scheduler, name, node));
                    }
                }
            }
            // A pod is read when its Binding can no longer arrive.
            let flies = |uid: &Uid| state.requests.iter().any(|(_, commit)| commit.uid == *uid);
            steps.extend(book.in_doubt().filter(|uid| !flies(uid)).map(|uid| Step::Settle(scheduler, uid)));
            if state.crashes > 0 {
                steps.push(Step::Crash(scheduler));
            }
        }
        for scheduler in 0..2 {
            // The other one may still believe it leads.
            let vacant = state.books[state.lease.holder].is_none();
            let rival =
                state.rivals > 0 && scheduler != state.lease.holder && state.books[scheduler].is_none();
            if vacant || rival {
                steps.push(Step::Lead(scheduler));
            }
        }
        for at in 0..state.requests.len() {
            steps.extend([Step::Arrive(at, true), Step::Arrive(at, false)]);
        }
        for (observer, queue) in state.events.iter().enumerate() {
            for at in 0..queue.len() {
                steps.push(Step::Hear(observer, at));
                if state.duplicates > 0 {
                    steps.push(Step::HearTwice(observer, at));
                }
            }
        }
        for (name, pod) in state.pods.iter().enumerate() {
            let Some(pod) = pod else { continue };
            if state.startable(name, self.bug).is_some() {
                steps.push(Step::Start(name));
            }
            if pod.phase == Phase::Running {
                steps.push(Step::End(name));
            }
            if state.recreations > 0 && pod.phase != Phase::Ended {
                steps.push(Step::Recreate(name));
            }
        }
        if state.restarts > 0 {
            steps.extend([Step::Restart(0), Step::Restart(1)]);
        }
    }

    fn next_state(&self, before: &State, step: Step) -> Option<State> {
        let mut state = before.clone();
        match step {
            Step::Decide(scheduler, name, node) => {
                let uid = state.pods[name].as_ref()?.uid;
                let sent = state.books[scheduler].as_mut()?.bind(commit(uid, node)).ok()?;
                state.requests.push((scheduler, sent));
            }
            Step::Arrive(at, heard) => state.arrive(at, heard),
            Step::Hear(observer, at) => {
                let event = state.events[observer].remove(at);
                state.hear(observer, event, self.bug);
            }
            Step::HearTwice(observer, at) => {
                state.duplicates -= 1;
                let event = state.events[observer][at].clone();
                state.hear(observer, event, self.bug);
            }
            Step::Crash(scheduler) => {
                state.crashes -= 1;
                state.books[scheduler] = None;
                state.events[scheduler].clear();
                state.requests.iter_mut().filter(|(s, _)| *s == scheduler).for_each(|(s, _)| *s = NOBODY);
            }
            Step::Lead(scheduler) => {
                if state.books[state.lease.holder].is_some() {
                    state.rivals -= 1;
                }
                state.lead(scheduler);
            }
            Step::Settle(scheduler, uid) => {
                let gone = PodView { uid, version: LAST, phase: Phase::Gone, commit: None };
                let view = state.find(uid).map_or(gone, |pod| pod.view());
                state.books[scheduler].as_mut()?.settled(&view);
            }
            Step::Start(name) => {
                let claims = state.startable(name, self.bug)?;
                let uid = state.pods[name].as_ref()?.uid;
                state.running.insert(uid, claims);
                state.write(uid, |pod| pod.phase = Phase::Running);
            }
            Step::End(name) => {
                let uid = state.pods[name].as_ref()?.uid;
                state.running.remove(&uid);
                state.write(uid, |pod| pod.phase = Phase::Ended);
            }
            Step::Recreate(name) => {
                state.recreations -= 1;
                let uid = state.pods[name].as_ref()?.uid;
                state.recreate(uid);
            }
            Step::Restart(node) => {
                state.restarts -= 1;
                let running = state.on_node(node);
                state.nodes[node] = Ledger::new(node_name(node), devices([node].into_iter()), &running);
                let bound = |view: &PodView| view.commit.as_ref().is_some_and(|c| c.node == node_name(node));
                state.events[node + 2] = state.listing().into_iter().filter(bound).collect();
            }
        }
        // Any event may be the next one, so their order is no part of the state.
        state.events.iter_mut().for_each(|queue| queue.sort_by_key(|event| (event.uid, event.version)));
        state
            .requests
            .sort_by_key(|(sender, commit)| (commit.uid, *sender, commit.epoch, commit.node.clone()));
        Some(state)
    }

    fn properties(&self) -> Vec<Property<World>> {
        vec![
            Property::always("no device is over-committed", |_, state: &State| {
                (0..2).all(|node| {
                    let granted =
                        state.nodes[node].granted().flat_map(|commit| commit.slices.values().flatten());
                    sum(granted, node) <= 2 && sum(state.running.values().flatten(), node) <= 2
                })
            }),
            Property::always("a container runs with what was committed for it", |_, state: &State| {
                state.running.iter().all(|(uid, claims)| {
                    let pod = state.pods[name_of(*uid)].as_ref().filter(|pod| pod.uid == *uid);
                    let commit = pod.and_then(|pod| pod.commit.as_ref());
                    commit.and_then(|commit| commit.slices.get(CONTAINER)) == Some(claims)
                })
            }),
            Property::always("no pod is stuck", |world: &World, state: &State| {
                let mut steps = Vec::new();
                world.actions(state, &mut steps);
                !steps.is_empty() || state.all_ended()
            }),
            Property::always("nothing leaks", |_, state: &State| {
                let quiet =
                    state.all_ended() && state.requests.is_empty() && state.events.iter().all(Vec::is_empty);
                let in_doubt = state.books.iter().flatten().any(|book| book.in_doubt().next().is_some());
                !quiet
                    || in_doubt
                    || (state.nodes.iter().all(|ledger| ledger.granted().next().is_none())
                        && state.books.iter().flatten().all(|book| book.commits().next().is_none()))
            }),
        ]
    }

    fn within_boundary(&self, state: &State) -> bool {
        // A replaced leader could be refused for ever; a few times tell as much.
        state.next_uid <= 3 + u128::from(self.recreations)
    }
}

const CALM: World =
    World { bug: Bug::None, pods: 2, recreations: 0, crashes: 0, rivals: 0, restarts: 0, duplicates: 0 };

/// All states of a small world.
fn holds(world: World) {
    let shown = format!("{world:?}");
    let checker = world.checker().spawn_dfs().join();
    println!("{shown}: {} states, {} of them different", checker.state_count(), checker.unique_state_count());
    checker.assert_properties();
}

#[test]
fn holds_when_all_is_well() {
    holds(CALM);
}

#[test]
fn holds_when_events_come_twice() {
    holds(World { duplicates: 1, ..CALM });
}

#[test]
fn holds_when_a_pod_comes_back_under_its_name() {
    holds(World { recreations: 1, ..CALM });
}

#[test]
fn holds_when_schedulers_crash() {
    holds(World { crashes: 1, ..CALM });
}

#[test]
fn holds_when_a_node_starts_again() {
    holds(World { restarts: 1, ..CALM });
}

/// With one pod: with two there are more states than a test has time for.
#[test]
fn holds_when_two_believe_they_lead() {
    holds(World { rivals: 1, pods: 1, ..CALM });
}

#[test]
fn every_seeded_mistake_is_found() {
    for (bug, property, world) in [
        (Bug::NodeTrusts, "no device is over-committed", World { rivals: 1, ..CALM }),
        (Bug::ByName, "a container runs with what was committed for it", World { recreations: 1, ..CALM }),
        (Bug::LeaveRejected, "no pod is stuck", World { rivals: 1, ..CALM }),
        (Bug::ReleaseOnDelete, "nothing leaks", CALM),
    ] {
        let found =
            World { bug, ..world }.checker().finish_when(HasDiscoveries::AnyFailures).spawn_dfs().join();
        println!("{bug:?}: {} states", found.state_count());
        assert!(found.discovery(property).is_some(), "{bug:?} went unnoticed");
    }
}
