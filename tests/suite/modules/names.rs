//! Names that a module introduces: its own, and nobody else's.
