//! Matrix instructions as functions of one warp's registers.
