//! The close of a session with the count of its cash.
