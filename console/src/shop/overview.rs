//! The start page of a company: sales, open work and goods that run out.
