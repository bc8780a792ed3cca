//! Labels made from names, and the sentences of codes.
