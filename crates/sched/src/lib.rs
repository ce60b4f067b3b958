//! Decisions: a snapshot in, a Placement out. Pure: nothing here talks to anybody.
#![forbid(unsafe_code)]
