//! The collection to which a member or a parameter refers (rule R9).
