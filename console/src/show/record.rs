//! A record: its members, transitions and lists.
