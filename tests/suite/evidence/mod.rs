//! Evidence over the whole contract: the document itself, permissions, tenancy, and the README's tour.

mod audit_trail;
mod contract;
mod descriptions;
mod examples;
mod filters;
mod gates;
mod item_codes;
mod pages;
mod permissions;
mod plans;
mod production;
mod readme;
mod round_trips;
mod sdk_python;
mod sdk_typescript;
mod sdks;
mod tenancy;
mod untested;
mod watermark;
mod words;
