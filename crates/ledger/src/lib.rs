//! Records of processes, death tokens and detectable counters in shared pages: what several processes write and any of them may die over.
