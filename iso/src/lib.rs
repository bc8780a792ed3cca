//! Codes of international standards as data with their date: one list of countries and one of currencies for the host, the
//! modules and the tools, so that all of them judge a code alike.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod country;
pub mod currency;
