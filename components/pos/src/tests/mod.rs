//! The module against a scripted host: what its operations refuse and in which order, what they write and tell.

mod checkout;
mod counter;
mod descriptor;
mod movements;
mod registers;
mod sessions;
mod verify;
