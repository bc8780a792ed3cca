//! Members that extensions add to responses of other modules.
