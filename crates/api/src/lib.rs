//! cleave-api
