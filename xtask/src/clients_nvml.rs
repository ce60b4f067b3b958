use crate::unpack;
use anyhow::Result;
use std::path::PathBuf;

/// The vendor's monitor, as Debian ships it: downloaded and unpacked, not installed.
pub fn smi() -> Result<PathBuf> {
    unpack::debian("nvidia-smi", "usr/lib/nvidia/current/nvidia-smi")
}
