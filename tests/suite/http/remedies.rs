//! Messages name the setting or the command that helps.
