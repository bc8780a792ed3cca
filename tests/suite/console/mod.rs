//! The console: sign-in, pages made from the contract, pages of commerce, and pages of operators.

mod bounds;
mod browser;
mod csrf;
mod faults;
mod forms;
mod headers;
mod hints;
mod lists;
mod operators;
mod overview;
mod partner;
mod prices;
mod receive;
mod records;
mod sign_in;
mod till;
mod timeline;
