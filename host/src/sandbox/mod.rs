//! The sandbox: modules that run. Their limits, how they are linked to each other, and how one is called.

pub mod arrangement;
pub mod call;
pub mod circles;
pub mod clashes;
pub mod draft_calls;
pub mod engine;
pub mod facts;
pub mod failure;
pub mod frames;
pub mod generation;
pub mod health;
pub mod imports;
pub mod interface;
pub mod journal;
pub mod judge;
pub mod limits;
pub mod listeners;
pub mod module;
pub mod points;
pub mod reached;
pub mod services;
pub mod signature;
pub mod state;
pub mod ticks;
pub mod trial;

pub use arrangement::Arrangement;
pub use call::Ran;
pub use facts::{Held, RequestFacts};
pub use failure::Failure;
pub use generation::Generation;
pub use limits::Limits;
pub use module::{Module, Vetted};
