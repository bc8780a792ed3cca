//! What the suite stands on: the real binary as a child process, a client that checks every answer against the published
//! contract, and a look into the database that shares no code with the host.

pub mod answer;
pub mod company;
pub mod contract;
pub mod database;
pub mod dice;
pub mod folder;
pub mod host;
pub mod modules;
pub mod on_both;
pub mod parallel;
pub mod postgres;
pub mod raw;
pub mod request;

pub use answer::Answer;
pub use company::{Company, company};
pub use database::Database;
pub use dice::Dice;
pub use host::Stoa;
pub use parallel::at_once;
pub use request::Request;
