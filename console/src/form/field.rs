//! The tree of fields that a schema has.
