//! Modules as guests: what is let in, how it is swapped, and what a hostile one can do.

mod author;
mod backfill;
mod first_start;
pub mod guide;
pub(crate) mod hostile;
mod hostile_store;
mod module_word;
mod names;
mod new_platform;
mod operators;
mod other_languages;
mod partner_kit;
mod published;
mod registry;
mod service_calls;
mod services_by_version;
mod signers;
mod swap;
mod swap_hosts;
mod tiers;
mod upgrades;
pub mod vetter;
mod vetting;
mod way_back;
