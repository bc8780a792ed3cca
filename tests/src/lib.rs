//! What the suite stands on: the real binary as a child process, a client that checks every answer against the published
//! contract, and a look into the database that shares no code with the host.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what it expects by failing")]

pub mod answer;
pub mod company;
pub mod contract;
pub mod database;
pub mod dice;
pub mod folder;
pub mod goods;
pub mod host;
pub mod machine;
pub mod modules;
pub mod on_both;
pub mod parallel;
pub mod postgres;
pub mod raw;
pub mod request;
pub mod serials;

pub use answer::Answer;
pub use company::{Company, company};
pub use database::Database;
pub use dice::Dice;
pub use host::Stoa;
pub use machine::Machine;
pub use parallel::{at_once, eventually};
pub use request::Request;
