//! Faults of a descriptor that its author finds without a host.
