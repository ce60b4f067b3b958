//! `libnvidia-ml.so.1` for the software GPU.
