//! A JSON value as its schema describes it.
