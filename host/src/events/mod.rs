//! Events on their way to those who listen: the outbox is turned into deliveries, and deliveries are sent, signed,
//! until they are taken or were tried often enough. `address`, `schedule`, `sign`, `headers` and `body` compute;
//! `resolver` and `dialer` speak to the world; `fan_out` and `lane` are the transactions, `fan_outs` is the queue of
//! the companies, and `relay` is the task that drives them. Modules that receive events after their commit are called by
//! `deployment`, which uses the same queue.

pub mod address;
pub mod backlog;
pub mod body;
pub mod dialer;
pub mod endpoint;
mod fan_out;
pub mod fan_outs;
mod headers;
mod lane;
mod relay;
pub mod resolver;
pub mod schedule;
pub mod sign;

pub use lane::{Attempt, lock_lane, wake_lane};
pub use relay::{Relay, Relaying};

/// The kind of event that an endpoint is tried with.
pub const TEST_KIND: &str = "webhook.test";
