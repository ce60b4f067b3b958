//! The words of Cleave as types: Device, Ask, Placement, Grant.
#![forbid(unsafe_code)]
