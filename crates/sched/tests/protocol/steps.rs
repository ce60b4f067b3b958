use cleave_sched::protocol::{Book, Phase, PodView, Uid};

use crate::state::{State, is_bound_to};
use crate::world::{Bug, Place, World, uid};

/// One thing that happens. What happens together here either is one write at the API server, or is local to one
/// process and commutes with all that others do meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A scheduler decides for a pod and sends its Binding.
    Decide {
        scheduler: usize,
        name: usize,
        place: Place,
    },
    /// A member of a gang is bound at the place kept for it.
    BindMember {
        scheduler: usize,
        name: usize,
    },
    /// Room is kept for all members of a gang that are not bound.
    ReserveGang {
        scheduler: usize,
        gang: u8,
        places: [Place; 2],
    },
    Reserve {
        scheduler: usize,
        name: usize,
        place: Place,
    },
    /// What was reserved has been kept long enough.
    Expire {
        scheduler: usize,
    },
    Preempt {
        scheduler: usize,
        name: usize,
        victim: usize,
    },
    Evict {
        scheduler: usize,
        victim: Uid,
    },
    Resize {
        scheduler: usize,
        name: usize,
    },
    /// A request arrives. Its answer is no step of its own: all it does is to make its sender read.
    Land {
        flight: usize,
    },
    /// A request never arrives.
    Drop {
        flight: usize,
    },
    /// A request is sent again although the first one is under way.
    Retry {
        flight: usize,
    },
    /// A scheduler reads a pod it is in doubt about.
    Read {
        scheduler: usize,
        uid: Uid,
    },
    /// The watch shows a version of a pod to a scheduler or a node.
    Tell {
        scheduler: usize,
        uid: Uid,
        at: usize,
    },
    TellNode {
        node: usize,
        uid: Uid,
        at: usize,
    },
    /// A scheduler loses all it knows.
    Crash {
        scheduler: usize,
    },
    /// A scheduler notices that it was replaced.
    Resign {
        scheduler: usize,
    },
    /// A scheduler becomes leader.
    Lead {
        scheduler: usize,
    },
    /// The kubelet starts a container, in whichever order it likes.
    Start {
        node: usize,
        uid: Uid,
        container: usize,
    },
    /// A pod's containers end, and the kubelet reports it.
    End {
        name: usize,
    },
    /// The kubelet stops what is deleted.
    Stop {
        node: usize,
        uid: Uid,
    },
    /// A node says that a resize is in force.
    Confirm {
        node: usize,
        uid: Uid,
    },
    /// A node that cannot place a pod lists its pods and rejects what will not fit.
    Judge {
        node: usize,
    },
    /// The node daemon starts again with what runs.
    Restart {
        node: usize,
    },
    /// Nobody hears of a node any more, though all goes on there.
    Lose {
        node: usize,
    },
    Return {
        node: usize,
    },
    /// A pod of a node that is thought lost is deleted.
    Collect {
        name: usize,
    },
    /// A user deletes a pod by force; its controller makes another of that name.
    Delete {
        name: usize,
    },
}

impl World {
    /// All that may happen next. What the books or the ledgers refuse is left out by `take`.
    pub fn steps(&self, state: &State, steps: &mut Vec<Step>) {
        for scheduler in 0..2 {
            match &state.books[scheduler] {
                Some(book) => self.leader_steps(state, scheduler, book, steps),
                None if may_lead(state) => steps.push(Step::Lead { scheduler }),
                None => {}
            }
        }
        for flight in 0..state.flights.len() {
            steps.push(Step::Land { flight });
            steps.push(Step::Drop { flight });
            if state.left.retries > 0 {
                steps.push(Step::Retry { flight });
            }
        }
        for node in 0..2 {
            self.node_steps(state, node, steps);
        }
        for (name, pod) in state.pods.iter().enumerate() {
            if self.may_end(state, name) {
                steps.push(Step::End { name });
            }
            if pod.node().is_some_and(|node| state.nodes[node].lost) && !pod.is_over() {
                steps.push(Step::Collect { name });
            }
            if state.left.recreations > 0 && !pod.is_over() {
                steps.push(Step::Delete { name });
            }
        }
    }

    fn leader_steps(&self, state: &State, scheduler: usize, book: &Book, steps: &mut Vec<Step>) {
        let doubts: Vec<Uid> = book.in_doubt().collect();
        for (name, pod) in state.pods.iter().enumerate() {
            let spec = &self.pods[name];
            if doubts.contains(&pod.now().uid) {
                // The book refuses whatever is asked for it.
            } else if pod.waits() {
                if spec.gang.is_some() && self.bug != Bug::OneByOne {
                    steps.push(Step::BindMember { scheduler, name });
                } else if self.may_decide(state, name) {
                    steps.extend(self.places().map(|place| Step::Decide { scheduler, name, place }));
                }
                if state.left.reservations > 0 && spec.gang.is_none() {
                    steps.extend(self.places().map(|place| Step::Reserve { scheduler, name, place }));
                }
                if state.left.preemptions > 0 && spec.preempts {
                    let victims = (0..state.pods.len()).filter(|victim| !self.pods[*victim].preempts);
                    steps.extend(victims.map(|victim| Step::Preempt { scheduler, name, victim }));
                }
            } else if state.left.resizes > 0 && spec.resize.is_some() && !pod.is_over() {
                steps.push(Step::Resize { scheduler, name });
            }
            for (life, views) in pod.lives.iter().enumerate() {
                let uid = uid(name, life);
                let heard = book.page(uid).map_or(book.known(), |page| page.version().max(book.known()));
                let news = (0..views.len()).filter(|at| self.echoes || views[*at].version > heard);
                steps.extend(news.map(|at| Step::Tell { scheduler, uid, at }));
            }
        }
        for gang in 0..2 {
            if self.unbound(state, gang).next().is_some() && self.bug != Bug::OneByOne {
                for one in self.places() {
                    let places = self.places().map(|other| [one, other]);
                    steps.extend(places.map(|places| Step::ReserveGang { scheduler, gang, places }));
                }
            }
        }
        if self.bug != Bug::NeverRead {
            steps.extend(doubts.into_iter().map(|uid| Step::Read { scheduler, uid }));
        }
        if self.bug != Bug::NoExpiry && self.keeps_room() {
            steps.push(Step::Expire { scheduler });
        }
        steps.extend(book.victims().map(|victim| Step::Evict { scheduler, victim }));
        if state.left.crashes[scheduler] > 0 {
            steps.push(Step::Crash { scheduler });
        }
        if state.holder != scheduler {
            steps.push(Step::Resign { scheduler });
        }
    }

    fn node_steps(&self, state: &State, node: usize, steps: &mut Vec<Step>) {
        let here = &state.nodes[node];
        if here.lost {
            steps.push(Step::Return { node });
            return;
        }
        for (name, pod) in state.pods.iter().enumerate() {
            for (life, views) in pod.lives.iter().enumerate() {
                let uid = uid(name, life);
                let known = here.ledger.known();
                let heard = here.ledger.account(uid).map_or(known, |account| account.version().max(known));
                let concerned = |view: &PodView| is_bound_to(view, node);
                let news = (0..views.len())
                    .filter(|at| concerned(&views[*at]) && (self.echoes || views[*at].version > heard));
                steps.extend(news.map(|at| Step::TellNode { node, uid, at }));
                let Some(last) = views.last().filter(|view| concerned(view)) else { continue };
                let granted = here.ledger.granted().any(|commit| commit.uid == uid);
                if last.phase != Phase::Ended && (granted || self.bug == Bug::NodeTrusts) {
                    for container in 0..self.pods[name].units.len() {
                        if !here.alive.contains_key(&(uid, container)) {
                            steps.push(Step::Start { node, uid, container });
                        }
                    }
                }
                if last.phase == Phase::Gone && here.alive.keys().any(|(of, _)| *of == uid) {
                    steps.push(Step::Stop { node, uid });
                }
                if last.commit.as_ref().is_some_and(|commit| commit.before.is_some())
                    && !last.in_force
                    && !last.is_over()
                {
                    steps.push(Step::Confirm { node, uid });
                }
            }
        }
        if here.ledger.waiting().next().is_some() {
            steps.push(Step::Judge { node });
        }
        if state.left.restarts[node] > 0 {
            steps.push(Step::Restart { node });
        }
        if state.left.losses > 0 {
            steps.push(Step::Lose { node });
        }
    }

    /// Whether anything is ever reserved.
    fn keeps_room(&self) -> bool {
        let gangs = self.pods.iter().any(|spec| spec.gang.is_some());
        gangs || self.faults.reservations > 0 || self.faults.preemptions > 0
    }

    /// Pods that are late are not decided for until all that are not are over.
    fn may_decide(&self, state: &State, name: usize) -> bool {
        let mut others = state.pods.iter().zip(self.pods).filter(|(_, spec)| !spec.late);
        !self.pods[name].late || others.all(|(pod, _)| pod.is_over())
    }

    /// All containers run, and so does the whole gang.
    fn may_end(&self, state: &State, name: usize) -> bool {
        let runs = |name: usize| {
            let pod = &state.pods[name];
            let node = pod.node().filter(|node| !pod.is_over() && !state.nodes[*node].lost);
            let alive =
                |node: usize, container| state.nodes[node].alive.contains_key(&(pod.now().uid, container));
            node.is_some_and(|node| (0..self.pods[name].units.len()).all(|container| alive(node, container)))
        };
        let gang = self.pods[name].gang;
        let mut others =
            (0..state.pods.len()).filter(|other| gang.is_some() && self.pods[*other].gang == gang);
        runs(name) && others.all(|other| state.pods[other].is_over() || runs(other))
    }

    /// Members of a gang that are not bound.
    pub fn unbound<'a>(&'a self, state: &'a State, gang: u8) -> impl Iterator<Item = usize> + 'a {
        (0..state.pods.len())
            .filter(move |name| self.pods[*name].gang == Some(gang) && state.pods[*name].waits())
    }
}

/// With a lease that is honoured, only when the old leader and its requests are gone.
fn may_lead(state: &State) -> bool {
    let vacant = state.books.iter().all(Option::is_none) && state.flights.is_empty();
    vacant || state.left.rivals > 0
}
