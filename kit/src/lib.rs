//! The partners' kit: a new module from the one template, and a component from what cargo builds. `stoa module new|build` and
//! `cargo xtask new-module|build-modules` are made of it, so that a module inside this repository and one outside are alike.

pub mod component;
pub mod manifest;
pub mod name;
pub mod section;
pub mod target;
pub mod template;
