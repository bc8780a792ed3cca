//! The end of a module with its data, on a host that a developer runs.
