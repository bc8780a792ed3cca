//! The suite: one binary, so that linking is paid once. Every test runs as `sqlite::name` and `postgres::name`.
//! Ids in names are those of the specification's edge cases.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod api_clients;
mod audit_list;
mod bad_tokens;
mod catalog_attributes;
mod catalog_imports;
mod catalog_lookups;
mod catalog_media;
mod catalog_products;
mod catalog_publication;
mod catalog_search;
mod catalog_slugs;
mod catalog_units;
mod catalog_variants;
mod company_settings;
mod concurrency;
mod contract;
mod crash;
mod edge;
mod governance;
mod hostile;
mod hostile_store;
mod http_manners;
mod http_raw;
mod iam_commands;
mod iam_lists;
mod idempotency;
mod idempotency_age;
mod if_match;
mod issuers;
mod json_corpus;
mod lists;
mod machine_catalog;
mod machine_pricing;
mod oidc_provider;
mod onboarding_checklist;
mod permissions;
mod pricing_batch;
mod pricing_lists;
mod pricing_model;
mod pricing_prices;
mod pricing_resolve;
mod readme;
mod refusal_order;
mod revocation;
mod schema_corpus;
mod stored;
mod tenancy;
mod tenant_cli;
mod two_hosts;
mod untested;
mod vetting;
