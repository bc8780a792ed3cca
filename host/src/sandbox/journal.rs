//! The last lines and failures of each module on this host.
