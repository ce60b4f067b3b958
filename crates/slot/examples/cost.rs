//! What a charge and its release cost: `cargo run --release -p cleave-slot --example cost`.

use std::hint::black_box;
use std::time::Instant;

use cleave_slot::{NodeSlot, Owner, Slot, Terms, Uuid};

const BATCH: u32 = 10_000;
const BATCHES: u32 = 200;

fn main() {
    let folder = std::env::temp_dir().join(format!("cleave-slot-cost-{}", std::process::id()));
    let terms = Terms {
        device: Uuid::Gpu([7; 16]),
        memory: 1 << 34,
        compute: 100,
        encode: 100,
        decode: 100,
        priority: 0,
        policy: 0,
        device_total: 1 << 35,
        context: 0,
    };
    let measured = NodeSlot::create(&folder, &terms, Owner::Anyone).and_then(|_node| {
        let slot = Slot::open(&folder)?;
        let (seat, other) = (slot.join("cost")?, slot.join("other")?);
        time("charge + release, alone", || {
            let _ = black_box(seat.charge(black_box(4096)));
            seat.release(black_box(4096));
        });
        time("charge + release, another record in between", || {
            let _ = black_box(seat.charge(black_box(4096)));
            let _ = black_box(other.charge(black_box(4096)));
            seat.release(black_box(4096));
            other.release(black_box(4096));
        });
        time("used and limit", || {
            black_box(slot.free());
        });
        time("a launch counted", || seat.count_launch());
        Ok(())
    });
    let _ = std::fs::remove_dir_all(&folder);
    if let Err(error) = measured {
        println!("{error}");
    }
}

/// The best of many batches: what it costs while nobody disturbs.
fn time(what: &str, mut body: impl FnMut()) {
    let mut batch = || {
        let begin = Instant::now();
        (0..BATCH).for_each(|_| body());
        begin.elapsed().as_nanos() as f64 / f64::from(BATCH)
    };
    let best = (0..BATCHES).map(|_| batch()).fold(f64::INFINITY, f64::min);
    println!("{best:6.1} ns  {what}");
}
