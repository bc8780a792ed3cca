//! The suite: one binary, so that linking is paid once. Every test runs as `sqlite::name` and `postgres::name`.
//! Ids in names are those of the specification's edge cases.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod bounds;
mod catalog;
mod console;
mod durability;
mod evidence;
mod extensions;
mod finance;
mod http;
mod identity;
mod inventory;
mod ledger;
mod modules;
mod operations;
mod places;
mod platform;
mod pos;
mod pricing;
mod procurement;
mod sales;
#[cfg(target_os = "linux")]
mod soak;
mod webhooks;
