//! A company moves from one database into another, of either kind.
