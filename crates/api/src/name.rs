/// The name a caller of `cuGetProcAddress` asks for: the symbol without `_ptsz`, `_ptds` and `_vN`.
pub const fn base(symbol: &str) -> &str {
    without_version(without_per_thread(symbol))
}

/// Whether the symbol works on the per-thread default stream.
pub const fn is_per_thread(symbol: &str) -> bool {
    without_per_thread(symbol).len() != symbol.len()
}

/// The number by which two processes name this function to each other (FNV-1a, 64 bits): stable under reordering.
pub const fn wire_id(symbol: &str) -> u64 {
    extend(0xcbf2_9ce4_8422_2325, symbol.as_bytes())
}

/// Continues a hash with more bytes.
pub(crate) const fn extend(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}

/// Whether two names are the same, in constants.
pub(crate) const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

const fn without_per_thread(symbol: &str) -> &str {
    match symbol.as_bytes() {
        [rest @ .., b'_', b'p', b't', b's', b'z'] | [rest @ .., b'_', b'p', b't', b'd', b's'] => {
            symbol.split_at(rest.len()).0
        }
        _ => symbol,
    }
}

const fn without_version(symbol: &str) -> &str {
    match symbol.as_bytes() {
        [rest @ .., b'_', b'v', b'0'..=b'9'] => symbol.split_at(rest.len()).0,
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_drops_only_suffixes() {
        assert_eq!(base("cuMemAlloc"), "cuMemAlloc");
        assert_eq!(base("cuMemAlloc_v2"), "cuMemAlloc");
        assert_eq!(base("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD");
        assert_eq!(base("cuLaunchKernel_ptsz"), "cuLaunchKernel");
        assert_eq!(base("cuGLGetDevices_v2"), "cuGLGetDevices");
    }

    #[test]
    fn per_thread_forms_are_told_by_name() {
        assert!(is_per_thread("cuLaunchKernel_ptsz"));
        assert!(is_per_thread("cuMemcpyHtoD_v2_ptds"));
        assert!(!is_per_thread("cuMemcpyHtoD_v2"));
    }

    #[test]
    fn wire_id_is_fnv_1a() {
        assert_eq!(wire_id(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(wire_id("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
