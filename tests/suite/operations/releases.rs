//! A host of this version takes over from each released one.
