//! The author of a module, from the descriptor to the push.
