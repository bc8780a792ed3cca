//! The trace of a request, as a collector receives it.
