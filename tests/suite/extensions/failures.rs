//! An extension that fails: it is named to the operator only, counted, and taken back.
