//! `stoa token check` says whether the host takes a token, and why not.
