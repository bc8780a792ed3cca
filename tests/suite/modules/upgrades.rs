//! A module that is upgraded with the data of its earlier versions.
