use std::ops::Range;

use cleave_sched::Chance;
use stateright::Model;

use crate::state::State;
use crate::steps::Step;
use crate::world::World;

/// Walks through a world that is too large to be seen whole: a way of at most `length` steps for each seed, the same for the
/// same seed. Tells how many states it looked at, or what it found and on which way.
pub fn walk(world: &World, seeds: Range<u64>, length: usize) -> Result<usize, (&'static str, Vec<Step>)> {
    let properties = world.properties();
    let mut states = 0;
    for seed in seeds {
        let mut chance = Chance::new(seed);
        let mut state = State::new(world);
        let mut way = Vec::new();
        while way.len() < length {
            let Some((step, next)) = some_step(world, &state, &mut chance) else { break };
            way.push(step);
            state = next;
            states += 1;
            if let Some(broken) = properties.iter().find(|property| !(property.condition)(world, &state)) {
                return Err((broken.name, way));
            }
        }
    }
    Ok(states)
}

/// Any of the steps that change something.
fn some_step(world: &World, state: &State, chance: &mut Chance) -> Option<(Step, State)> {
    let mut steps = Vec::new();
    world.steps(state, &mut steps);
    while !steps.is_empty() {
        let step = steps.swap_remove(chance.below(steps.len()));
        if let Some(next) = world.take(state, step) {
            return Some((step, next));
        }
    }
    None
}
