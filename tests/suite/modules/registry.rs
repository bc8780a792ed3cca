//! Modules that come from a registry.
