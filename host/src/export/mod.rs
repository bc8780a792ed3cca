//! One company as lines of JSON: written from one database, read into another of either kind.
