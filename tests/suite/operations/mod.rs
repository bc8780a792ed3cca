//! Stoa in operation: backup, doctor, export, logs, metrics, traces, packages and upgrades.

mod access_log;
mod backup;
mod company_moves;
mod doctor;
mod metrics;
mod packages;
mod point_in_time;
mod released_hosts;
mod releases;
mod restore;
mod rules;
mod traces;
