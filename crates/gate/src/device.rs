//! What a gate needs of the device, and what it is asked to let through.

/// The device behind a gate. None of these may block.
pub trait Device {
    /// A place in a stream whose passing can be seen.
    type Mark;

    /// Marks the present end of a stream; with a time, if two such marks are to be compared. None if that cannot be.
    fn put(&self, stream: u64, timed: bool) -> Option<Self::Mark>;

    /// The same, with a time, for a stream that another thread may be about to destroy: only if it `is_there` when nobody can any more.
    fn put_if(&self, stream: u64, is_there: impl Fn() -> bool) -> Option<Self::Mark>;

    /// Whether the device has come past a mark.
    fn is_done(&self, mark: &Self::Mark) -> bool;

    /// Nanoseconds between two timed marks that are done; none if the second was passed first.
    fn between(&self, from: &Self::Mark, to: &Self::Mark) -> Option<u64>;

    /// A mark that is no longer needed.
    fn give_back(&self, mark: Self::Mark);

    /// Asks the arbiter to look at this tenant.
    fn ring(&self);
}

/// Something to do for an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Command {
    /// What takes the same time per unit again and again; never 0.
    pub key: u64,
    /// What takes about the same time, as far as anyone knows before it is measured; 0 if nothing does.
    pub like: u64,
    /// Units of it.
    pub weight: u64,
}

impl Command {
    /// A kernel, by its function and the shape of its launch.
    #[inline]
    pub fn kernel(function: u64, grid: [u32; 3], block: [u32; 3]) -> Command {
        let grid = mix(u64::from(grid[0]) | u64::from(grid[1]) << 32, u64::from(grid[2]));
        let block = mix(u64::from(block[0]) | u64::from(block[1]) << 32, u64::from(block[2]));
        let key = mix(function, grid ^ block.rotate_left(32)) | 1;
        Command { key, like: mix(function, KERNEL) | 1, weight: 1 }
    }

    /// A graph, which is one command whatever is in it.
    #[inline]
    pub fn graph(graph: u64) -> Command {
        Command { key: mix(graph, GRAPH) | 1, like: 0, weight: 1 }
    }

    /// A copy, or memory that is set. Small ones take more time per byte than large ones, so each magnitude has its own.
    #[inline]
    pub fn copy(bytes: u64) -> Command {
        let bytes = bytes.max(1);
        Command { key: mix(u64::from(bytes.ilog2()), COPY) | 1, like: COPY | 1, weight: bytes }
    }
}

const KERNEL: u64 = 0x6b65_726e_656c_6b65;
const GRAPH: u64 = 0x6772_6170_6867_7261;
const COPY: u64 = 0x636f_7079_636f_7079;

#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xe703_7ed1_a0b4_28db);
    product as u64 ^ (product >> 64) as u64
}
