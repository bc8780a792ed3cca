//! Looks at a file that may be out of order: it changes nothing.
