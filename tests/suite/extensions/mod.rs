//! Modules that extend others: points, listeners, timers, and members of responses.

mod answers;
mod examples;
mod failures;
mod guide;
mod limits;
mod linking;
mod listeners;
mod points;
mod sequence;
mod swap;
mod timers;
mod transaction;
