//! Verification of the rows of companies.
