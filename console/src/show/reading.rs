//! Other reads: reports and settings.
