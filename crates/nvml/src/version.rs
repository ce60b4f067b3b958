//! Which driver this seems to be.

use std::sync::LazyLock;

use cleave_device::driver;

/// Drivers by the CUDA version they were first published with.
const DRIVERS: &[(u32, &str)] = &[
    (8000, "367.48"),
    (9000, "384.81"),
    (9010, "390.46"),
    (9020, "396.26"),
    (10000, "410.48"),
    (10010, "418.39"),
    (10020, "440.33"),
    (11000, "450.36.06"),
    (11010, "455.23"),
    (11020, "460.27.03"),
    (11030, "465.19.01"),
    (11040, "470.42.01"),
    (11050, "495.29.05"),
    (11060, "510.39.01"),
    (11070, "515.43.04"),
    (11080, "520.61.05"),
    (12000, "525.60.13"),
    (12010, "530.30.02"),
    (12020, "535.54.03"),
    (12030, "545.23.06"),
    (12040, "550.54.14"),
    (12050, "555.42.02"),
    (12060, "560.28.03"),
    (12070, "565.57.01"),
    (12080, "570.86.10"),
    (12090, "575.51.03"),
    (13000, "580.65.06"),
    (13010, "590.44.01"),
];

/// The rows know no older header than this: what it declares is taken to have been there always.
const OLDEST_HEADER: u32 = 11070;

/// The CUDA version the driver supports, as libcuda says it.
pub fn cuda() -> u32 {
    // Nonsense in the environment is refused by nvmlInit; the few calls that work before it answer as if it were not there.
    static CUDA: LazyLock<u32> =
        LazyLock::new(|| asked().or_else(|_| driver::version(&|_| None)).unwrap_or_default());
    *CUDA
}

/// The version that the environment asks for.
pub fn asked() -> Result<u32, cleave_device::Error> {
    driver::version(&|name| std::env::var(name).ok())
}

/// Whether a driver of this version has a function that a header of version `since` declares.
pub fn has(since: u32) -> bool {
    since <= OLDEST_HEADER || since <= cuda()
}

/// What a driver for the CUDA version calls itself.
pub fn name(cuda: u32) -> &'static str {
    let newest = DRIVERS.iter().rev().find(|(since, _)| *since <= cuda);
    newest.unwrap_or(&DRIVERS[0]).1
}

/// What the library of that driver calls itself.
pub fn library(cuda: u32) -> String {
    format!("{}.{}", cuda / 1000, name(cuda))
}

/// The branch that driver comes from.
pub fn branch(cuda: u32) -> String {
    let number = name(cuda).split('.').next().unwrap_or_default();
    format!("r{number}_00")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_match_their_cuda() {
        assert!(DRIVERS.is_sorted());
        assert_eq!(name(12020), "535.54.03");
        assert_eq!(name(12025), "535.54.03");
        assert_eq!(name(13040), "590.44.01", "a newer one is not known");
        assert_eq!(name(2000), "367.48");
        assert_eq!(library(12020), "12.535.54.03");
        assert_eq!(branch(13000), "r580_00");
    }
}
