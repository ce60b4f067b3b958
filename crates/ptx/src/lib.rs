//! cleave-ptx
