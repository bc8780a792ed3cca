//! One form of multipart/form-data, read without a crate.
