//! Writers at work: each notes what was acknowledged to it, and when.
