//! The release folder, as an operator installs it.
