//! Names that a module introduces: those that begin with its own name, and those that do not.
