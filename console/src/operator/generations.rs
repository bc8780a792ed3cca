//! Generations and the way back to one of them.
