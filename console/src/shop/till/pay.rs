//! Payment at the till.
