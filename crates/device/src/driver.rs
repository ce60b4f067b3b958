//! The driver version that libcuda and NVML report.

use crate::config::Lookup;
use crate::error::Error;

const VARIABLE: &str = "CLEAVE_SOFTGPU_DRIVER_VERSION";
/// What is reported unless something else is asked for.
pub const NEWEST: u32 = 13040;

/// As CUDA writes it: 1000 times the major number and ten times the minor.
pub fn version(lookup: Lookup) -> Result<u32, Error> {
    let Some(text) = lookup(VARIABLE).filter(|text| !text.is_empty()) else { return Ok(NEWEST) };
    let version = text.trim().parse().ok().filter(|version| (2000..=99_990).contains(version));
    version.ok_or_else(|| Error::Nonsense {
        setting: format!("{VARIABLE}={text}"),
        wanted: "give 2000 to 99990".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_a_number_cuda_could_have() {
        let read = |text: &str| version(&|_| Some(text.to_string()));
        assert_eq!(read("12020").unwrap(), 12020);
        assert_eq!(read("").unwrap(), NEWEST);
        for text in ["12", "x", "-1", "99999999999"] {
            assert!(read(text).unwrap_err().to_string().contains(text));
        }
    }
}
