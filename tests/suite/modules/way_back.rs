//! The way back to what ran well before.
