//! From the items of a problem to the fields that they concern.
