use crate::row::Row;

/// What a look-up finds.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// This symbol.
    Found(&'static Row),
    /// The name exists, but in no form that old (status 2).
    VersionTooLow,
    /// No such name (status 1).
    UnknownName,
}

/// Flag bit that asks for the forms working on the per-thread default stream.
pub const PER_THREAD_DEFAULT_STREAM: u64 = 2;

/// Answers `cuGetProcAddress(base, version, flags)` as a driver of version `driver` does: rows newer than the driver
/// are invisible. With the per-thread flag and a per-thread form in the family only such forms are candidates; the
/// newest candidate not newer than the version asked for wins.
pub fn resolve(base: &str, version: u32, flags: u64, driver: u32) -> Answer {
    let family = || crate::CUDA_TABLE.iter().filter(move |r| visible(r, driver) && r.base() == base);
    if family().next().is_none() {
        return Answer::UnknownName;
    }
    let per_thread = flags & PER_THREAD_DEFAULT_STREAM != 0 && family().any(Row::is_per_thread);
    family()
        .filter(|r| r.is_per_thread() == per_thread && r.since <= version)
        .max_by_key(|r| r.since)
        .map_or(Answer::VersionTooLow, Answer::Found)
}

/// Whether a driver of version `driver` answers this row at all.
pub fn visible(row: &Row, driver: u32) -> bool {
    row.since != 0 && row.since <= driver
}
