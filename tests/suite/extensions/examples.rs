//! The examples of extensions, end to end.
