//! What is written stays written: crashes, races, several hosts, and what the database really holds.

mod concurrency;
mod crash;
mod older_store;
mod places;
mod stored;
mod two_hosts;
mod verify;
