//! The module against a scripted host.
