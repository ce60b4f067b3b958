//! Who may use an engine of a device, and for how long: the arbiter's decisions, with the clock as an argument.
//!
//! An [`Arbiter`] has one engine. It is shown what each tenant has at work ([`Seen`]) and answers with [`Order`]s: credit that
//! the tenant's launches draw from. Only one tenant at a time has a turn; the end of one may overlap the beginning of the next.
//! A tenant is charged for the time it had the engine, on the arbiter's clock: no number that a tenant writes makes its
//! share greater. How a turn is earned is the tenant's [`Policy`], one per file.

/// A tenant on an engine: what it may have, and what it had.
mod account;
/// Whose turn it is.
mod arbiter;
/// Only what nobody else wants.
mod best_effort;
/// At least its share.
mod burst;
/// All tenants together.
mod crowd;
/// Several devices at once.
mod desk;
/// The whole engine.
mod exclusive;
/// Never more than its share.
mod fixed;
/// Work that goes first.
mod latency;
/// For how long what a tenant was told holds.
mod lease;
/// How predictions turn out.
mod pace;
/// Who goes before whom.
mod rank;
/// Who only waits.
mod resting;
/// Whether more is let on than a cap allows.
mod stall;
/// Shares by the time of day.
mod tidal;
/// Long turns.
mod time_share;
/// What happened on the engine between two looks.
mod timeline;

pub use arbiter::{Arbiter, Step};
pub use desk::{Desk, Engine};
pub use lease::{LATE_WORD_NS, Lease};
pub use tidal::{BadTimetable, Timetable};

/// A tenant, as the node numbers it.
pub type Id = u64;

/// What a tenant may have of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// Percent of the engine's time.
    pub percent: u32,
    pub policy: Policy,
    /// Greater goes first: within what is guaranteed to it, and wherever time is lent.
    pub priority: i32,
    /// Its work goes before everybody else's, within what is guaranteed to it.
    pub latency: bool,
    pub paused: bool,
}

impl Default for Share {
    fn default() -> Share {
        Share { percent: 100, policy: Policy::Burst, priority: 0, latency: false, paused: false }
    }
}

/// How a share is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Never more than its share.
    Fixed,
    /// At least its share; idle time is lent in proportion.
    Burst,
    /// Only what nobody with a share wants.
    BestEffort,
    /// At least its share, in turns of this length.
    TimeShare { quantum_ns: u64 },
    /// The engine is its own.
    Exclusive,
}

/// What a tenant's processes say they have at work. Believed for as long as it harms only themselves.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Threads that wait for a turn.
    pub waiting: u32,
    /// Predicted time of what is submitted and not done.
    pub in_flight_ns: u64,
    /// How many commands that is.
    pub commands: u32,
    /// Predicted time of all that is done, ever.
    pub retired_ns: u64,
    /// When something was last done, or first submitted after nothing was in flight.
    pub progress_at: u64,
    /// Its memory is on the way to the device: it has the turn it was given, though nothing is at work yet.
    pub moving: bool,
    /// How often it rang. Who rings is there, though nothing else of it has changed.
    pub rings: u32,
}

impl Seen {
    /// Whether nothing of the work has changed.
    fn is_as(&self, then: &Seen) -> bool {
        Seen { rings: 0, ..*self } == Seen { rings: 0, ..*then }
    }
}

/// What a tenant is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// Time that its launches may still draw; with none the next one waits.
    pub credit_ns: u64,
    /// Predicted time that each of its processes may have in flight.
    pub window_ns: u64,
    /// Others contend, or a cap holds: its processes watch their own completions closely, and ring.
    pub tracked: bool,
    /// Others may be at work on the device: what is measured now is not the tenant's alone.
    pub shared: bool,
    /// It is looked at when its credit should be used up: who then waits need not ring.
    pub watched: bool,
    pub paused: bool,
    /// What it has at work seems to wait for what it is kept from: a little more is let on.
    pub lets_on: bool,
    /// What becomes of the turn that was.
    pub course: Course,
    /// For how long all this holds.
    pub lease: Lease,
}

/// What an order is to a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Course {
    /// It begins, or ends.
    Begins,
    /// It goes on, with so much credit from now on.
    Renewed,
    /// It goes on with what is left of its credit.
    GoesOn,
    /// Nothing is new but for how long it holds.
    Holds,
}

/// The longest turn of a tenant whose policy says nothing else.
pub const QUANTUM_NS: u64 = 3_500_000;
/// The shortest.
pub const SHORTEST_TURN_NS: u64 = 1_000_000;
/// How long before the end of a drain the next turn is given, so that its first work is there when the last of the old is done.
pub const LEAD_NS: u64 = 220_000;
/// How long a tenant may do nothing before its turn is over.
pub const GRACE_NS: u64 = 200_000;
/// Credit of a tenant that nobody contends with; it is renewed before it ends.
pub const LENT_NS: u64 = 200_000_000;
/// Predicted time a process may have in flight.
pub const WINDOW_NS: u64 = 2_000_000;
/// The same where there is nobody else: whoever comes starts a process first, which takes longer.
pub const ALONE_WINDOW_NS: u64 = 20_000_000;
/// The same where a tenant is near whose work goes first.
pub const NARROW_WINDOW_NS: u64 = 500_000;
/// The longest time between two looks.
pub const HEARTBEAT_NS: u64 = 200_000_000;
