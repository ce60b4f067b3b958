/// Pods that get their places together or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gang {
    /// Told apart within a namespace.
    pub name: String,
    /// How many of them are enough to start.
    pub least: u32,
}
