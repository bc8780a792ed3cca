//! Modules: their list, the push, the comparison, and what changes the generation.
