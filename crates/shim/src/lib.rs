//! The library that rides in a tenant's processes and becomes `libcleave.so`.
