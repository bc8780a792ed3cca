//! The tools of the suite: the real binary as a child process, a client that checks every answer against the published
//! contract, and a look into the database that shares no code with the host.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what it expects by failing")]

pub mod abridged;
pub mod answer;
pub mod backups;
pub mod billing;
pub mod books;
pub mod breakage;
pub mod broken;
pub mod browser;
pub mod collector;
pub mod company;
pub mod contract;
pub mod copies;
pub mod cuts;
pub mod database;
pub mod debian;
pub mod dice;
pub mod drawer;
pub mod examples;
pub mod extending;
pub mod faulty_link;
pub mod folder;
pub mod gates;
pub mod goods;
pub mod held;
pub mod host;
pub mod installed;
pub mod issuer;
pub mod javascript;
mod looks;
pub mod machine;
pub mod modules;
pub mod name_server;
pub mod npm;
pub mod oidc_provider;
pub mod on_both;
pub mod operator;
pub mod pages;
pub mod parallel;
#[cfg(target_os = "linux")]
pub mod patroni;
pub mod people;
pub mod pip;
pub mod postgres;
#[cfg(target_os = "linux")]
pub mod preload;
pub mod proxy;
pub mod puppet;
pub mod purchases;
pub mod raw;
pub mod receiver;
pub mod record;
pub mod registry;
pub mod release;
pub mod released;
pub mod request;
pub mod retries;
pub mod reviewed;
pub mod round_trips;
pub mod sdk_python;
pub mod sdk_typescript;
pub mod sdks;
pub mod selling;
pub mod serials;
pub mod services;
pub mod signer;
pub mod slow_reads;
pub mod tables;
pub mod tills;
pub mod tour;
pub mod writers;

pub use answer::Answer;
pub use company::{Company, company};
pub use database::Database;
pub use dice::Dice;
pub use folder::Folder;
pub use host::Stoa;
pub use issuer::Issuer;
pub use machine::Machine;
pub use operator::{Operator, Signed};
pub use parallel::{at_once, eventually, eventually_within, in_one_window};
pub use receiver::Receiver;
pub use request::Request;
pub use signer::Signer;
