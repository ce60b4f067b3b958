//! Support of the tests that run programs as tenants.
