//! The alert rules and the dashboard.
