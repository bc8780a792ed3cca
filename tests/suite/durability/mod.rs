//! Written records stay written: crashes, races, several hosts, and what the database really holds.

mod clock;
mod concurrency;
mod crash;
mod far_database;
mod files;
#[cfg(target_os = "linux")]
mod full_disk;
mod hot_rows;
#[cfg(target_os = "linux")]
mod log;
mod older_store;
mod places;
mod stored;
mod two_hosts;
mod verify;
