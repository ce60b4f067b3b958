//! The node daemon: keeps the ledger of a machine's grants.
