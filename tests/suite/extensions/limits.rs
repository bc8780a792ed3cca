//! The part of a request's limits that an extension may use.
