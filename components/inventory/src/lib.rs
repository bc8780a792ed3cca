//! Inventory: warehouses, stock and its ledgers, serial units, transfer orders, counts, and what goods cost.

mod bindings;
mod operations;
mod records;
mod rules;
mod services;
mod upkeep;
mod verify;
mod work;

use stoa_sdk::descriptor::{Collection, Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Problem, ProvisionOptions, Step};

const PARTS: &[&[Operation]] = &[
    operations::warehouse::OPERATIONS,
    operations::location::OPERATIONS,
    operations::stock::OPERATIONS,
    operations::movement::OPERATIONS,
    operations::reservation::OPERATIONS,
    operations::unit::OPERATIONS,
    operations::transfer_order::OPERATIONS,
    operations::stock_count::OPERATIONS,
    operations::cost::OPERATIONS,
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
        records::warehouse::WarehouseRow::collection(),
        records::location::LocationRow::collection(),
        records::stock::StockRow::collection(),
        records::movement::MovementRow::collection(),
        records::reservation::ReservationRow::collection(),
        records::reservation::ReservationEntryRow::collection(),
        records::unit::UnitRow::collection(),
        records::unit::UnitIdentityRow::collection(),
        records::unit::UnitEntryRow::collection(),
        records::cost::PoolRow::collection(),
        records::cost::LayerRow::collection(),
        records::cost::CostEntryRow::collection(),
        records::cost::SaleBalanceRow::collection(),
        records::transfer_order::TransferOrderRow::collection(),
        records::transfer_order::TransferItemRow::collection(),
        records::transfer_order::TransferUnitRow::collection(),
        records::stock_count::StockCountRow::collection(),
        records::stock_count::StockCountLineRow::collection(),
    ]
}

stoa_sdk::export_module!(Inventory);
