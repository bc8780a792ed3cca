//! The ground: what the module keeps, and what people, clients and events see of it.

pub mod cost;
pub mod cost_total;
pub mod location;
pub mod movement;
pub mod permission;
pub mod reservation;
pub mod stock;
pub mod stock_count;
pub mod transfer_order;
pub mod unit;
pub mod warehouse;

use stoa_sdk::{Id, Instant};

/// An id and an instant as examples show them.
const EXAMPLE_ID: Id = Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b);
const EXAMPLE_INSTANT: Instant = Instant(1_767_225_600_000);
