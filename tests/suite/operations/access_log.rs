//! The access log: one line for a request, by the setting.
