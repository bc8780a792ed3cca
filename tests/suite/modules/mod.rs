//! Modules as guests: what is let in, how it is swapped, and what a hostile one can do.

mod backfill;
mod first_start;
mod guide;
pub(crate) mod hostile;
mod hostile_store;
mod module_word;
mod new_platform;
mod operators;
mod other_languages;
mod partner_kit;
mod service_calls;
mod services_by_version;
mod signers;
mod swap;
mod swap_hosts;
mod tiers;
mod vetter;
mod vetting;
