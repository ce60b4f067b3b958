use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use cleave_sched::protocol::{Book, Uid};

use crate::state::{Flight, Node, Pod, State};
use crate::world::{Spec, life_of, name_of};

/// States that differ only in which of two equal things has which name have the same hash, so that one of them stands for
/// all: schedulers (by who leads), nodes, and pods that want the same.
impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(sameness(self));
    }
}

/// The hash of a state and all that are the same.
pub fn sameness(state: &State) -> u64 {
    digest(state, false).min(digest(state, true))
}

/// A state as seen with the nodes swapped or not. It falls into what concerns each pod, which names others only by
/// how they relate to it, and a rest that concerns none.
fn digest(state: &State, swapped: bool) -> u64 {
    let mut pods: Sums = [0; PODS];
    let mut put = |part: &[Sums; 2], role: u64| {
        // Pods it does not concern must not see it, or twins would differ by where they stand.
        for (sum, part) in pods.iter_mut().zip(&part[usize::from(swapped)]).filter(|(_, part)| **part != 0) {
            *sum = mix(*sum ^ role, *part);
        }
    };
    for pod in &state.pods {
        put(&pod.sums, 1);
    }
    for role in 0..2 {
        if let Some(book) = &state.books[state.holder ^ role] {
            put(&book.sums, 2 + role as u64);
        }
        put(&state.nodes[role ^ usize::from(swapped)].sums, 4 + role as u64);
    }
    for flight in &state.flights {
        put(&flight.sums, 6 + flight.from.map_or(2, |from| from ^ state.holder) as u64);
    }
    for one in 0..state.pods.len() {
        for other in one + 1..state.pods.len() {
            if state.specs[one] == state.specs[other] && pods[one] > pods[other] {
                pods.swap(one, other);
            }
        }
    }
    let mut left = state.left;
    if state.holder == 1 {
        left.crashes.swap(0, 1);
    }
    if swapped {
        left.restarts.swap(0, 1);
    }
    let mut rest = Renamed { sum: 1, me: 0, specs: &[], swapped: false };
    pods[..state.pods.len()].iter().for_each(|sum| rest.write_u64(*sum));
    (state.epoch, left, state.listed, state.overlapped, state.needless).hash(&mut rest);
    for role in 0..2 {
        let book = state.books[state.holder ^ role].as_ref();
        book.map(|book| (book.epoch(), book.known())).hash(&mut rest);
        let node = &state.nodes[role ^ usize::from(swapped)];
        (node.lost, node.ledger.known()).hash(&mut rest);
    }
    rest.sum
}

/// Most pods of a world.
const PODS: usize = 6;

/// By name.
type Sums = [u64; PODS];

/// A part of a state with its sums, which are worked out when it changes: most parts stay as they are in most steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summed<T> {
    value: T,
    /// As it is, and with the nodes swapped.
    sums: [Sums; 2],
}

/// Something that consists of parts that concern one pod each.
pub trait Parts {
    fn visit(&self, visit: &mut Visit<'_>);
}

/// Takes the name of a pod, and what concerns it.
type Visit<'a> = dyn FnMut(usize, &dyn Fn(&mut Renamed)) + 'a;

impl<T: Parts> Summed<T> {
    pub fn new(value: T, specs: &'static [Spec]) -> Summed<T> {
        let mut summed = Summed { value, sums: [[0; PODS]; 2] };
        summed.sum(specs);
        summed
    }

    fn sum(&mut self, specs: &'static [Spec]) {
        for swapped in [false, true] {
            let mut sums = [0; PODS];
            self.value.visit(&mut |name, part| {
                let mut hasher = Renamed { sum: sums[name], me: name, specs, swapped };
                part(&mut hasher);
                sums[name] = hasher.sum;
            });
            self.sums[usize::from(swapped)] = sums;
        }
    }
}

impl<T: Parts + Clone> Summed<T> {
    /// Changes a part. After `None` the state is of no use: the change was refused.
    pub fn change<R>(
        part: &mut Arc<Summed<T>>,
        specs: &'static [Spec],
        change: impl FnOnce(&mut T) -> Option<R>,
    ) -> Option<R> {
        let summed = Arc::make_mut(part);
        let result = change(&mut summed.value)?;
        summed.sum(specs);
        Some(result)
    }
}

impl<T> Deref for Summed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl Parts for Pod {
    fn visit(&self, visit: &mut Visit<'_>) {
        visit(name_of(self.now().uid), &|hasher| self.lives.hash(hasher));
    }
}

impl Parts for Book {
    fn visit(&self, visit: &mut Visit<'_>) {
        for (uid, page) in self.pages() {
            visit(name_of(uid), &|hasher| (life_of(uid), page).hash(hasher));
        }
    }
}

impl Parts for Flight {
    fn visit(&self, visit: &mut Visit<'_>) {
        visit(name_of(self.commit.uid), &|hasher| (&self.commit, self.version).hash(hasher));
    }
}

impl Parts for Node {
    fn visit(&self, visit: &mut Visit<'_>) {
        for (uid, account) in self.ledger.accounts() {
            visit(name_of(uid), &|hasher| (life_of(uid), account).hash(hasher));
        }
        for ((uid, container), claims) in &self.alive {
            visit(name_of(*uid), &|hasher| (life_of(*uid), container, claims).hash(hasher));
        }
        for (name, commit) in &self.by_name {
            visit(*name, &|hasher| commit.hash(hasher));
        }
    }
}

/// A hasher that sees UIDs as they relate to one pod, and nodes and devices with their numbers swapped if asked to.
pub struct Renamed {
    sum: u64,
    me: usize,
    specs: &'static [Spec],
    swapped: bool,
}

fn mix(sum: u64, word: u64) -> u64 {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(sum ^ word.wrapping_mul(0xd6e8_feb8_6659_fd93)) * ODD;
    (product as u64 ^ (product >> 64) as u64).rotate_left(23).wrapping_add(0x2545_f491_4f6c_dd1d)
}

impl Hasher for Renamed {
    fn finish(&self) -> u64 {
        self.sum
    }

    /// Names of nodes, devices and containers; the second letter of the first two is the node's number.
    fn write(&mut self, bytes: &[u8]) {
        let swap = self.swapped && bytes.len() > 1 && matches!(bytes[0], b'n' | b'd');
        for (at, byte) in bytes.iter().enumerate() {
            self.write_u8(if swap && at == 1 { byte ^ 1 } else { *byte });
        }
    }

    fn write_u128(&mut self, uid: u128) {
        let uid = Uid(uid);
        let name = name_of(uid);
        let relation = match self.specs.iter().position(|spec| *spec == self.specs[name]) {
            _ if name == self.me => 0,
            _ if self.specs[name] == self.specs[self.me] => 1,
            first => 2 + first.unwrap_or(name),
        };
        self.write_u64(((relation as u64) << 8) | life_of(uid) as u64);
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.sum = mix(self.sum, word);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[test]
fn what_differs_only_by_name_is_the_same() {
    use crate::steps::Step;
    use crate::world::{CALM, Place, World, pod};
    const PODS: &[Spec] = &[pod(&[2]), pod(&[1]), pod(&[1])];
    let world = World::new(PODS, CALM);
    let start = State::new(&world);
    let decided = |name, node| {
        let step = Step::Decide { scheduler: 0, name, place: Place { node, device: 0 } };
        let sent = world.take(&start, step).unwrap();
        [sameness(&sent), sameness(&world.take(&sent, Step::Land { flight: 0 }).unwrap())]
    };
    assert_eq!(decided(1, 0), decided(1, 1));
    assert_eq!(decided(1, 0), decided(2, 0));
    assert_ne!(decided(0, 0), decided(1, 0));
    assert_ne!(decided(1, 0)[0], decided(1, 0)[1]);
}
