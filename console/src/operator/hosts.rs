//! Hosts and their health.
