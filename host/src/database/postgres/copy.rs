//! Whole tables in and out, in one snapshot, on a connection of their own.
