//! The suite: one binary, so that linking is paid once. Every test runs as `sqlite::name` and `postgres::name`.
//! Ids in names are those of the specification's edge cases.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod api_clients;
mod catalog_attributes;
mod catalog_lookups;
mod catalog_products;
mod catalog_publication;
mod catalog_search;
mod catalog_slugs;
mod catalog_units;
mod catalog_variants;
mod concurrency;
mod contract;
mod crash;
mod governance;
mod hostile;
mod hostile_store;
mod http_manners;
mod http_raw;
mod idempotency;
mod if_match;
mod inventory_adjustments;
mod inventory_concurrency;
mod inventory_costs;
mod inventory_counts;
mod inventory_disclosure;
mod inventory_reservations;
mod inventory_transfer_orders;
mod inventory_unit_races;
mod inventory_units;
mod inventory_warehouses;
mod json_corpus;
mod lists;
mod pricing_batch;
mod pricing_lists;
mod pricing_model;
mod pricing_prices;
mod pricing_resolve;
mod readme;
mod refusal_order;
mod schema_corpus;
mod stored;
mod tenancy;
mod vetting;
