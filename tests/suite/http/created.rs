//! An answer of 201 says where the record is.
