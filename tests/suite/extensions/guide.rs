//! The commands of the page about extensions.
