//! Kubernetes: what pods ask for, in every dialect, as Asks.
#![forbid(unsafe_code)]
