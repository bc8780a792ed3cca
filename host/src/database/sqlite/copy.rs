//! A copy of the whole file while others write.
