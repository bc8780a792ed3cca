//! Recovery to a point in time on PostgreSQL, by the page.
