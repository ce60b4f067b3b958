//! `cleave`: what a person types.

fn main() {}
