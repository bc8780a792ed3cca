//! HTTP: manners, bodies, keys, versions and lists, the same on every operation.

mod connections;
mod created;
mod edge;
mod idempotency;
mod idempotency_age;
mod if_match;
mod json_corpus;
mod late_commits;
mod lists;
mod manners;
mod raw;
mod reference;
mod refusal_order;
mod remedies;
mod schema_corpus;
mod teaching;
