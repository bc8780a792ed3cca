//! Fields as HTML.
