//! Each check of `stoa doctor` fails on its fault.
