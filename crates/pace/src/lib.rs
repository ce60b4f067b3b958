//! The ruler: the modelled time of a GPU. Pure: the clock is an argument, nothing sleeps, nothing is shared.
#![forbid(unsafe_code)]
