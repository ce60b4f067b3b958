use cleave_sched::protocol::{Amount, Book, Claim};
use stateright::{Model, Property};

use crate::help::End;
use crate::state::State;
use crate::steps::Step;
use crate::world::{CONTAINERS, UNITS, World, amount, name_of, node_of};

impl Model for World {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self)]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        self.steps(state, steps);
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        self.take(state, step)
    }

    fn properties(&self) -> Vec<Property<World>> {
        vec![
            Property::always("no device is over-committed", |world, state| world.within_devices(state)),
            Property::always("a container runs with what was committed for it", |_, state| {
                runs_as_committed(state)
            }),
            Property::always("a leader promises no more than there is", |world, state| {
                world.promises_hold(state)
            }),
            Property::always("a gang that has begun has its places", |world, state| {
                world.gangs_are_whole(state)
            }),
            Property::always("only an overlap of leaders rejects", |_, state: &State| !state.needless),
            Property::always("no pod is stuck", |world: &World, state| world.end(state) != End::Stuck),
            Property::always("nothing leaks", |world: &World, state| world.end(state) != End::Leak),
        ]
    }
}

impl World {
    /// Neither what nodes have granted nor what really runs is more than a device has.
    fn within_devices(&self, state: &State) -> bool {
        self.places().all(|place| {
            let node = &state.nodes[place.node];
            let granted = node.ledger.granted().flat_map(|commit| commit.slices.values().flatten());
            let running = node.alive.values().flatten();
            let fits = |sum: Amount| sum.fits_in(amount(UNITS));
            fits(sum(granted, &place.name())) && fits(sum(running, &place.name()))
        })
    }

    fn promises_hold(&self, state: &State) -> bool {
        state.overlapped
            || state.books.iter().flatten().all(|book| book.load().all(|(_, sum)| sum.fits_in(amount(UNITS))))
    }

    /// A member that is not bound yet finds room at its place for as long as another one holds its own.
    fn gangs_are_whole(&self, state: &State) -> bool {
        if state.overlapped || self.pods.iter().all(|spec| spec.gang.is_none()) {
            return true;
        }
        let book = state.books[state.holder].as_ref();
        let there = |node: &str| !state.nodes[node_of(node)].lost;
        let begun = state.pods.iter().filter_map(|pod| pod.now().holds());
        begun.flat_map(|commit| commit.gang.iter()).all(|member| {
            let waits = state.find(member.uid).is_some_and(|view| view.commit.is_none());
            let ready = |book: &Book| {
                let assumed = book.in_doubt().any(|uid| uid == member.uid);
                assumed || Book::clone(book).bind_member(member.uid).is_ok()
            };
            !waits || !there(&member.node) || book.is_none_or(|book| ready(book))
        })
    }
}

/// Container c of pod u has what the node granted to (u, c), and that was committed for (u, c).
fn runs_as_committed(state: &State) -> bool {
    state.nodes.iter().all(|node| {
        node.alive.iter().all(|((uid, container), claims)| {
            let container = CONTAINERS[*container];
            let granted = node.ledger.granted().find(|commit| commit.uid == *uid);
            let granted = granted.and_then(|commit| commit.slices.get(container));
            let mut lives = state.pods[name_of(*uid)].lives.iter().flatten();
            granted == Some(claims)
                && lives.any(|view| {
                    let commit = view.commit.as_ref().filter(|commit| commit.uid == *uid && view.uid == *uid);
                    commit.and_then(|commit| commit.slices.get(container)) == Some(claims)
                })
        })
    })
}

fn sum<'a>(claims: impl Iterator<Item = &'a Claim>, device: &str) -> Amount {
    let here = claims.filter(|claim| &*claim.device == device);
    here.fold(Amount::default(), |sum, claim| sum.plus(claim.amount))
}
