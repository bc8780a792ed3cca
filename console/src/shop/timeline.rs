//! Everything that happened to a sales order, by time.
