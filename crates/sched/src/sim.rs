/// The pods of one run in the order they come.
mod arrivals;
/// What a replay measures, by arrived demand.
mod curve;
/// One run of a policy over arrivals.
mod replay;
/// A trace and how it is replayed.
mod scenario;
/// What several runs gave.
mod summary;
/// Nodes and pods from the CSV files of published traces.
mod trace;

pub use arrivals::{Arrival, arrivals};
pub use curve::Curve;
pub use replay::{Outcome, Run, capacity, replay};
pub use scenario::{Offline, Scenario};
pub use summary::{Spread, Summary};
pub use trace::{Place, Trace, TraceError, TracePod, nodes_from_csv, pods_from_csv};
