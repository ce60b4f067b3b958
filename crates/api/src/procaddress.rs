use crate::row::Row;
use std::collections::HashMap;
use std::sync::LazyLock;

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
    let forms = FORMS.get(base).map_or(&[][..], Vec::as_slice);
    let visible = || forms.iter().copied().filter(|row| visible(row, driver));
    if visible().next().is_none() {
        return Answer::UnknownName;
    }
    let per_thread = flags & PER_THREAD_DEFAULT_STREAM != 0 && visible().any(Row::is_per_thread);
    visible()
        .filter(|row| row.is_per_thread() == per_thread && row.since <= version)
        .max_by_key(|row| row.since)
        .map_or(Answer::VersionTooLow, Answer::Found)
}

/// Whether a driver of version `driver` answers this row at all.
pub fn visible(row: &Row, driver: u32) -> bool {
    row.since != 0 && row.since <= driver
}

/// All forms of each name. A runtime library asks for hundreds of names while it starts.
static FORMS: LazyLock<HashMap<&str, Vec<&Row>>> = LazyLock::new(|| {
    let mut forms: HashMap<&str, Vec<&Row>> = HashMap::new();
    for row in crate::CUDA_TABLE {
        forms.entry(row.base()).or_default().push(row);
    }
    forms
});

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(base: &str, version: u32, flags: u64, driver: u32) -> Option<&'static str> {
        match resolve(base, version, flags, driver) {
            Answer::Found(row) => Some(row.name),
            Answer::VersionTooLow | Answer::UnknownName => None,
        }
    }

    #[test]
    fn a_new_form_shows_only_on_a_new_driver() {
        assert_eq!(symbol("cuCtxCreate", 13000, 0, 13040), Some("cuCtxCreate_v4"));
        assert_eq!(symbol("cuCtxCreate", 13000, 0, 12020), Some("cuCtxCreate_v3"));
        assert_eq!(symbol("cuCtxCreate", 11030, 0, 13040), Some("cuCtxCreate_v2"));
    }

    #[test]
    fn twins_replace_the_plain_forms() {
        assert_eq!(symbol("cuLaunchKernel", 12000, 2, 13040), Some("cuLaunchKernel_ptsz"));
        assert_eq!(symbol("cuLaunchKernel", 6000, 2, 13040), None);
        assert_eq!(symbol("cuMemAlloc", 12000, 2, 13040), Some("cuMemAlloc_v2"));
    }

    #[test]
    fn suffixed_and_unlisted_names_are_unknown() {
        assert!(matches!(resolve("cuMemAlloc_v2", 13000, 0, 13040), Answer::UnknownName));
        assert!(matches!(resolve("cuEGLApiInit", 13000, 0, 13040), Answer::UnknownName));
        assert!(matches!(resolve("cuLogsCurrent", 13000, 0, 12020), Answer::UnknownName));
    }
}
