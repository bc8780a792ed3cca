//! A restore takes what a backup wrote, and nothing else.
