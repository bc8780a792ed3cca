//! The catalog: products and what describes them, as people and API clients see them, and its import.

mod attributes;
mod feed;
mod import_csv;
mod imports;
mod lookups;
mod machine;
mod media;
mod products;
mod publication;
mod removals;
mod search;
mod slugs;
mod units;
mod variants;
