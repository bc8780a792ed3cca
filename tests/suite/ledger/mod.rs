//! The ledger: entities, accounts, journal, periods and reports, and the services that post.

mod accounts;
mod entities;
mod journal;
mod mappings;
mod periods;
mod posting;
mod reports;
