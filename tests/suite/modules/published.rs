//! A module keeps to what it publishes: statuses, events and problem codes.
