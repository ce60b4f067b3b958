//! cleave-simt
