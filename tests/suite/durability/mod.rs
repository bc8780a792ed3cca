//! What is written stays written: crashes, races, several hosts, and what the database really holds.

mod concurrency;
mod crash;
mod hot_rows;
mod older_store;
mod stored;
mod two_hosts;
mod verify;
