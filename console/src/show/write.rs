//! The page of a form, what its submit does, and its result.
