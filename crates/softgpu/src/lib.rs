//! cleave-softgpu
