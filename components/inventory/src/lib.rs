//! Inventory: warehouses, stock and its ledgers, serial units, transfer orders, counts, and what goods cost. The operations
//! stand in a table of each resource.

pub mod articles;
pub mod bindings;
pub mod books;
pub mod cost;
pub mod count;
pub mod document_number;
pub mod goods;
pub mod movement;
pub mod reservation;
pub mod service;
pub mod stock;
pub mod terms;
pub mod tracked;
pub mod transfer_order;
pub mod unit;
mod upkeep;
mod verify;
pub mod version;
pub mod warehouse;

use stoa_sdk::descriptor::{Collection, Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Problem, ProvisionOptions, Step};

/// Permissions of people and scopes of API clients.
pub const READ: &[&str] = &["inventory.read"];
pub const ADJUST: &[&str] = &["inventory.adjust"];
pub const TRANSFER: &[&str] = &["inventory.transfer"];
pub const READ_UNITS: &[&str] = &["inventory.read", "inventory.serials.read"];
pub const READ_COSTS: &[&str] = &["reports.cost.read"];
pub const CLIENT_READ: &[&str] = &["inventory.read"];
pub const CLIENT_WRITE: &[&str] = &["inventory.write"];

/// The event of every change of stock.
pub const UPDATED: &[&str] = &["inventory.updated"];

/// A request body that says nothing: archiving.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}

const PARTS: &[&[Operation]] = &[
    warehouse::OPERATIONS,
    stock::OPERATIONS,
    movement::OPERATIONS,
    reservation::OPERATIONS,
    unit::OPERATIONS,
    transfer_order::OPERATIONS,
    count::OPERATIONS,
    cost::OPERATIONS,
];
const OPERATIONS: [Operation; stoa_sdk::count(PARTS)] = stoa_sdk::join(PARTS);

pub struct Inventory;

impl Module for Inventory {
    const OPERATIONS: &'static [Operation] = &OPERATIONS;

    fn describe() -> Descriptor {
        let named =
            |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
        Descriptor {
            name: "inventory".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Warehouses, stock, serial units and what goods cost.".to_owned(),
            routes: Vec::new(),
            collections: collections(),
            permissions: vec![
                named("inventory.read", "Read warehouses, stock, movements, reservations and transfer orders."),
                named("inventory.adjust", "Write warehouses, adjust and reserve stock, admit and grade units, count."),
                named("inventory.transfer", "Move stock and units between warehouses."),
                named("inventory.serials.read", "Read serial units and their identities."),
            ],
            scopes: vec![
                named("inventory.read", "Read warehouses, stock, movements, reservations and transfer orders."),
                named("inventory.write", "Adjust, reserve and transfer quantities."),
            ],
            events: vec![
                named("inventory.updated", "The stock of a variant in a warehouse changed."),
                named("inventory.warehouse.created", "A warehouse was created."),
                named("inventory.warehouse.updated", "A warehouse was renamed."),
                named("inventory.warehouse.archived", "A warehouse was archived."),
                named("inventory.location.created", "A location of a warehouse was created."),
                named("inventory.location.updated", "A location of a warehouse was renamed."),
                named("inventory.location.archived", "A location of a warehouse was archived."),
            ],
            problems: Vec::new(),
            onboarding: None,
            audit_filters: Vec::new(),
            schemas: serde_json::Map::new(),
        }
    }

    fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        upkeep::provision(options)
    }

    fn checklist() -> Vec<Step> {
        upkeep::checklist()
    }

    fn verify(cursor: Option<String>) -> Findings {
        verify::verify(cursor)
    }
}

fn collections() -> Vec<Collection> {
    vec![
        warehouse::row::WarehouseRow::collection(),
        warehouse::row::LocationRow::collection(),
        stock::row::StockRow::collection(),
        movement::row::MovementRow::collection(),
        reservation::row::ReservationRow::collection(),
        reservation::row::ReservationEntryRow::collection(),
        unit::row::UnitRow::collection(),
        unit::row::UnitIdentityRow::collection(),
        unit::row::UnitEntryRow::collection(),
        cost::row::PoolRow::collection(),
        cost::row::LayerRow::collection(),
        cost::row::CostEntryRow::collection(),
        cost::row::SaleBalanceRow::collection(),
        transfer_order::row::TransferOrderRow::collection(),
        transfer_order::row::TransferItemRow::collection(),
        transfer_order::row::TransferUnitRow::collection(),
        count::row::StockCountRow::collection(),
        count::row::StockCountLineRow::collection(),
    ]
}

stoa_sdk::export_module!(Inventory);
