//! The module against a scripted host: how many round trips its operations take, what they refuse, and what they tell.

mod descriptor;
mod orders;
mod quotations;
mod returns;
mod services;
mod shop;
mod verify;
