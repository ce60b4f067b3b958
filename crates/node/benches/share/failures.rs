//! A node that fails: it dies or is stopped at every step of its hand-overs, and nobody waits much longer for that.

use cleave_sched::share::{Policy, Share};

use crate::Case;
use crate::matrix::{burst, case, length, tenant};
use crate::program::Program;
use crate::report::Row;
use crate::world::node::Failure;
use crate::world::{MS, Setup, US, World};

/// So many orders are a few hand-overs between two tenants.
const STEPS: u64 = 24;
/// A turn, and a slice of the device.
const LONGEST: u64 = 5_500 * US;
/// A tenant of sixteen percent or less that gives itself turns saves one for so long.
const OWN: u64 = 22 * MS;
/// When the node fails, at the earliest; and for how long it is looked what becomes of it.
const BEFORE: u64 = 300 * MS;
const AFTER: u64 = 200 * MS;

/// Those with no more than so many tenants.
pub fn cases(most: usize) -> Vec<Case> {
    let full = |percents: &[u32], kernel| -> Vec<Setup> {
        percents.iter().map(|percent| tenant(burst(*percent), Program::Saturate { kernel })).collect()
    };
    let capped = |kernel| {
        let fixed = Share { policy: Policy::Fixed, ..burst(20) };
        vec![tenant(fixed, Program::Saturate { kernel }), tenant(burst(50), Program::Saturate { kernel })]
    };
    let side = |kernel| {
        let slim =
            |percent| Setup { streams: 4, ..tenant(burst(percent), Program::Slim { kernel, blocks: 1 }) };
        vec![slim(60), slim(40)]
    };
    let sets = [
        ("[60, 30, 10]", 100 * US, full(&[60, 30, 10], 100 * US)),
        ("[60, 30, 10]", MS, full(&[60, 30, 10], MS)),
        ("[50, 50]", 10 * MS, full(&[50, 50], 10 * MS)),
        ("[30, 20, 15, 10, 10, 5, 5, 5]", MS, full(&[30, 20, 15, 10, 10, 5, 5, 5], MS)),
        ("fixed 20 beside 50", MS, capped(MS)),
        ("[60, 40] 4 streams of 1 quarters", MS, side(MS)),
    ];
    let sets = sets.into_iter().filter(|(.., setups)| setups.len() <= most);
    let cases = sets.map(|(name, kernel, setups)| {
        let name = format!("{name} kernels of {}, the node fails", length(kernel));
        case(name, move || fails(&setups, kernel))
    });
    cases.collect()
}

/// The longest that anybody waits beyond what it waited for its turns before, over all steps and ways to fail: for the first that is
/// done after the failure, and for whatever is done in a while.
fn fails(setups: &[Setup], kernel: u64) -> Vec<Row> {
    // What a command takes beyond the rest of a turn is saved for as well.
    let least = setups.iter().map(|setup| u64::from(setup.share.percent)).min().unwrap_or(100);
    let ways = [
        ("dies before an order", Failure::Before),
        ("dies amid an order", Failure::Amid),
        ("is stopped for 100 ms", Failure::Stopped { ns: 100 * MS }),
        ("dies again and again", Failure::Replaced { ns: 15 * MS, orders: 0 }),
    ];
    let rows = ways.into_iter().flat_map(|(what, how)| {
        let (mut first, mut later) = (0, 0);
        for step in 0..STEPS {
            let how = match how {
                Failure::Replaced { ns, .. } => Failure::Replaced { ns, orders: 2 + step },
                how => how,
            };
            let longer = longer(setups, step, how);
            (first, later) = (longer.0.max(first), longer.1.max(later));
        }
        let row = |text: &str, ns: u64, bound: u64| {
            Row::at_most(format!("{text}, {what}"), ns as f64 / MS as f64, bound as f64 / MS as f64)
        };
        let at_once = row("ms longer", first, LONGEST + kernel);
        let after_that = row("ms longer later", later, LONGEST + OWN + kernel * 100 / least);
        // Several that die one after the other may be in the way of the same wait.
        match how {
            Failure::Replaced { .. } => vec![after_that],
            _ => vec![at_once, after_that],
        }
    });
    rows.collect()
}

/// How much longer anybody waits when the node fails at a step, and after that.
fn longer(setups: &[Setup], step: u64, how: Failure) -> (u64, u64) {
    let mut world = World::new(setups, true, step);
    world.run(BEFORE);
    world.fail_node(step, how);
    world.run(AFTER);
    let at = world.failed_at.expect("it says something in so long a time");
    world.run(at + AFTER - world.now);
    let (mut first, mut later) = (0, 0);
    for tenant in 0..setups.len() {
        let usual = world.longest_gap(tenant, BEFORE / 3, at);
        let longer = |from, to| world.longest_gap(tenant, from, to).saturating_sub(usual);
        let next = world.next_end(tenant, at);
        (first, later) = (first.max(longer(at, next)), later.max(longer(next, at + AFTER)));
    }
    (first, later)
}
