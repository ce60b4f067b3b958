use std::collections::BTreeMap;
use std::sync::Arc;

use cleave_sched::protocol::{Book, Claim, Commit, Ledger, Phase, PodView, Running, Uid};

use crate::sameness::Summed;
use crate::world::{Bug, CONTAINERS, Faults, Spec, World, life_of, name_of, node_name, node_of, uid};

/// Everything there is, as one value. What is expensive to copy is shared with the states before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub specs: &'static [Spec],
    /// By name.
    pub pods: Vec<Arc<Summed<Pod>>>,
    /// Who leads, as far as the API server knows.
    pub holder: usize,
    pub epoch: u64,
    pub books: [Option<Arc<Summed<Book>>>; 2],
    /// Requests that are on their way.
    pub flights: Vec<Arc<Summed<Flight>>>,
    pub nodes: [Arc<Summed<Node>>; 2],
    pub left: Faults,
    /// The version of the last listing.
    pub listed: u64,
    /// Two leaders, or a leader and a request of an earlier one, were there at once.
    pub overlapped: bool,
    /// Somebody was rejected though no two leaders ever overlapped.
    pub needless: bool,
}

/// Every version of every pod that ever had this name: the watch may show any of them at any time, again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    pub lives: Vec<Vec<PodView>>,
}

/// A request: a Binding, or a resize with the version it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Who waits for the answer.
    pub from: Option<usize>,
    pub commit: Arc<Commit>,
    pub version: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub ledger: Ledger,
    /// Containers that run, and with what. This is the truth that the ledger is to keep within the devices.
    pub alive: BTreeMap<(Uid, usize), Vec<Claim>>,
    /// Nobody hears of it, and it hears of nobody.
    pub lost: bool,
    /// For a mistake: slices by the name of a pod.
    pub by_name: BTreeMap<usize, Arc<Commit>>,
}

impl Pod {
    /// The pod that has the name now.
    pub fn now(&self) -> &PodView {
        self.lives.last().and_then(|life| life.last()).expect("a name has a pod, if only a deleted one")
    }

    pub fn is_over(&self) -> bool {
        self.now().is_over()
    }

    /// Where it is bound to.
    pub fn node(&self) -> Option<usize> {
        self.now().commit.as_ref().map(|commit| node_of(&commit.node))
    }

    pub fn waits(&self) -> bool {
        !self.is_over() && self.now().commit.is_none()
    }
}

/// Versions between two listings.
const STEP: u64 = 16;

fn fresh(uid: Uid, listed: u64) -> PodView {
    PodView { uid, version: listed + 1, phase: Phase::Pending, commit: None, in_force: false }
}

impl State {
    pub fn new(world: &World) -> State {
        let specs = world.pods;
        let pod = |name: usize| Pod { lives: vec![vec![fresh(uid(name, 0), 0)]] };
        let node = |node: usize| Node {
            ledger: Ledger::new(node_name(node), world.all_devices(|at| at == node), vec![], &[], 0),
            alive: BTreeMap::new(),
            lost: false,
            by_name: BTreeMap::new(),
        };
        let mut state = State {
            specs,
            pods: (0..specs.len()).map(|name| Arc::new(Summed::new(pod(name), specs))).collect(),
            holder: 0,
            epoch: 0,
            books: [None, None],
            flights: Vec::new(),
            nodes: [0, 1].map(|at| Arc::new(Summed::new(node(at), specs))),
            left: world.faults,
            listed: 0,
            overlapped: false,
            needless: false,
        };
        state.lead(world, 0);
        state
    }

    /// Changes what a scheduler believes; `None` if it is none, or refuses.
    pub fn book<R>(&mut self, scheduler: usize, change: impl FnOnce(&mut Book) -> Option<R>) -> Option<R> {
        Summed::change(self.books[scheduler].as_mut()?, self.specs, change)
    }

    /// The same for what it cannot refuse.
    pub fn tell(&mut self, scheduler: usize, change: impl FnOnce(&mut Book)) -> Option<()> {
        self.book(scheduler, |book| {
            change(book);
            Some(())
        })
    }

    pub fn node<R>(&mut self, node: usize, change: impl FnOnce(&mut Node) -> Option<R>) -> Option<R> {
        Summed::change(&mut self.nodes[node], self.specs, change)
    }

    /// The pod of this UID, if it is still the one of its name and not deleted.
    pub fn find(&self, uid: Uid) -> Option<&PodView> {
        let now = self.pods[name_of(uid)].now();
        (now.uid == uid && now.phase != Phase::Gone).then_some(now)
    }

    /// Changes what the API server stores.
    pub fn write(&mut self, uid: Uid, change: impl FnOnce(&mut PodView)) {
        let Some(mut view) = self.find(uid).cloned() else { return };
        view.version = view.version.max(self.listed) + 1;
        change(&mut view);
        Summed::change(&mut self.pods[name_of(uid)], self.specs, |pod| {
            pod.lives.last_mut().map(|life| life.push(view))
        });
    }

    /// Deletes a pod, whether or not its containers run; its controller makes another of that name if it still may.
    pub fn delete(&mut self, uid: Uid) {
        self.write(uid, |view| view.phase = Phase::Gone);
        if self.left.recreations > 0 {
            self.left.recreations -= 1;
            let name = name_of(uid);
            let view = fresh(crate::world::uid(name, life_of(uid) + 1), self.listed);
            // Schedulers hear at once that it is there. Again and too late they may hear of it as well.
            for scheduler in 0..2 {
                self.tell(scheduler, |book| book.observe(&view));
            }
            Summed::change(&mut self.pods[name], self.specs, |pod| {
                pod.lives.push(vec![view]);
                Some(())
            });
        }
    }

    /// What the API server shows of all pods. Its version is above all before and below all after. Versions of different
    /// pods are compared only with that of a listing, so they are counted per pod from there: a common count would make
    /// the same state look different after every order of steps.
    fn list(&mut self, shown: impl Fn(&PodView) -> bool) -> Vec<PodView> {
        let now = self.pods.iter().map(|pod| pod.now());
        let listing: Vec<PodView> = now.filter(|view| shown(view)).cloned().collect();
        if listing.iter().any(|view| view.version > self.listed) {
            self.listed += STEP;
        }
        listing.into_iter().filter(|view| view.phase != Phase::Gone).collect()
    }

    pub fn lead(&mut self, world: &World, scheduler: usize) {
        self.overlapped |= self.books.iter().any(Option::is_some) || !self.flights.is_empty();
        (self.holder, self.epoch) = (scheduler, self.epoch + 1);
        let mut listing = self.list(|_| true);
        if world.bug == Bug::PlanLost {
            let commits = listing.iter_mut().filter_map(|view| view.commit.as_mut());
            commits.for_each(|commit| Arc::make_mut(commit).gang = Arc::from([]));
        }
        let devices = world.all_devices(|node| !self.nodes[node].lost);
        let book = Book::take_over(self.epoch, devices, &listing, self.listed);
        self.books[scheduler] = Some(Arc::new(Summed::new(book, self.specs)));
    }

    /// A scheduler loses all it knows; nobody waits for its answers.
    pub fn resign(&mut self, scheduler: usize) {
        self.books[scheduler] = None;
        for flight in self.flights.iter_mut().filter(|flight| flight.from == Some(scheduler)) {
            Summed::change(flight, self.specs, |flight| {
                flight.from = None;
                Some(())
            });
        }
    }

    /// Sends a request of a scheduler.
    pub fn send(&mut self, scheduler: usize, commit: Arc<Commit>, version: Option<u64>) {
        let flight = Flight { from: Some(scheduler), commit, version };
        self.flights.push(Arc::new(Summed::new(flight, self.specs)));
        // Any may be the next to arrive, so their order is no part of the state.
        self.flights.sort_by_key(|flight| {
            (flight.commit.uid, flight.commit.epoch, flight.version, flight.commit.node.clone())
        });
    }

    pub fn lose(&mut self, node: usize, lost: bool) {
        self.node(node, |node| {
            node.lost = lost;
            Some(())
        });
    }

    /// Stops all containers of a pod.
    pub fn stop(&mut self, node: usize, uid: Uid) {
        self.node(node, |node| {
            node.alive.retain(|(of, _), _| *of != uid);
            node.account(|ledger| CONTAINERS.iter().for_each(|container| ledger.stopped(uid, container)));
            Some(())
        });
    }

    /// A node daemon starts again. While it is down nothing changes in its ledger, so that being down needs no state.
    pub fn restart(&mut self, world: &World, at: usize) {
        let listing = self.list(|view| is_bound_to(view, at));
        let (devices, listed) = (world.all_devices(|node| node == at), self.listed);
        self.node(at, |node| {
            let alive = |uid: Uid| node.alive.keys().filter(move |(of, _)| *of == uid);
            let running = node.ledger.granted().map(|commit| Running {
                commit: commit.clone(),
                containers: alive(commit.uid).map(|(_, at)| Arc::from(CONTAINERS[*at])).collect(),
            });
            let running = running.filter(|found| !found.containers.is_empty()).collect();
            node.ledger = Ledger::new(node_name(at), devices, running, &listing, listed);
            node.account(|_| ());
            Some(())
        });
    }

    /// A node lists, compares, and deletes what has no room.
    pub fn judge(&mut self, at: usize, bug: Bug) {
        let now = self.pods.iter().map(|pod| pod.now());
        let listing: Vec<PodView> =
            now.filter(|view| view.phase != Phase::Gone && is_bound_to(view, at)).cloned().collect();
        let listed = self.listed + STEP;
        let judge = |ledger: &mut Ledger| ledger.judge(&listing, listed);
        let rejected = self.node(at, |node| Some(node.account(judge))).unwrap_or_default();
        for (uid, _) in rejected {
            self.needless |= !self.overlapped;
            if bug != Bug::LeaveRejected {
                self.delete(uid);
            }
        }
    }
}

impl Node {
    /// Lets the ledger take a step and puts into force what it can.
    pub fn account<T>(&mut self, step: impl FnOnce(&mut Ledger) -> T) -> T {
        let result = step(&mut self.ledger);
        let settled = self.ledger.settle(|_| true);
        for commit in self.ledger.granted().filter(|commit| settled.contains(&commit.uid)) {
            for (at, container) in CONTAINERS.iter().enumerate() {
                if let Some(claims) = self.alive.get_mut(&(commit.uid, at)) {
                    *claims = commit.slices.get(*container).cloned().unwrap_or_default();
                }
            }
        }
        result
    }
}

pub fn is_bound_to(view: &PodView, node: usize) -> bool {
    view.commit.as_ref().is_some_and(|commit| node_of(&commit.node) == node)
}
