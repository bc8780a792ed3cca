//! Inventory: warehouses, stock and its ledgers, serial units, transfer orders, counts, and what goods cost.

mod bindings;
mod examples;
mod item_codes;
mod operations;
mod records;
mod rules;
mod services;
mod upkeep;
mod verify;
mod work;

use stoa_sdk::{Hints, ListHint, Manifest, Module, Problem, ReferenceHint};
use stoa_trade::points;

/// The module.
pub struct Inventory;

impl Module for Inventory {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        permissions: &[
            ("inventory.read", "Read warehouses, stock, movements, reservations and transfer orders."),
            ("inventory.adjust", "Write warehouses, adjust and reserve stock, admit and grade units, count."),
            ("inventory.transfer", "Move stock and units between warehouses."),
            ("inventory.serials.read", "Read serial units and their identities."),
        ],
        scopes: &[
            ("inventory.read", "Read warehouses, stock, movements, reservations and transfer orders."),
            ("inventory.write", "Adjust, reserve and transfer quantities."),
        ],
        events: records::EVENTS,
        problems: &[
            ("INSUFFICIENT_STOCK", 409, "The available stock is too low. Reduce the quantity or add stock first."),
            (
                "CUSTODY_CONFLICT",
                409,
                "The unit or the goods are not in the required legal entity or warehouse. Transfer them first.",
            ),
            ("UNIT_UNAVAILABLE", 409, "The unit is not available. Choose another unit."),
            ("UNIT_CONDITION_REQUIRED", 409, "The variant has no condition. State the `condition` of the unit."),
            (
                "UNIT_CONDITION_MISMATCH",
                409,
                "The condition of the unit differs from the condition of its variant. State the same condition or use another variant.",
            ),
            (
                "UNIT_COUNT_MISMATCH",
                409,
                "The number of units on a line differs from its quantity. Correct the units or the quantity.",
            ),
            ("VALUATION_COST_REQUIRED", 409, "The legal entity keeps books: state the unit cost."),
        ],
        provision: upkeep::provision,
        checklist: upkeep::checklist,
        verify: verify::verify,
        services: services::ACCESS,
        points: &[points::NUMBERING],
        words: stoa_trade::WORDS,
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        console: HINTS,
        ..Manifest::new(
            "inventory",
            env!("CARGO_PKG_VERSION"),
            "Warehouses, stock, serial units and the cost of goods.",
        )
    };

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        upkeep::upgrade(cursor)
    }
}

/// How the console names, groups and links the records.
const HINTS: Hints = Hints {
    lists: &[
        ListHint::new("listStock")
            .columns(&["variantId", "warehouseId", "onHand", "reserved", "available", "incoming", "updatedAt"])
            .group("Stock")
            .position(30),
        ListHint::new("listUnits")
            .title(&["serialNumber", "imei1"])
            .columns(&["serialNumber", "imei1", "status", "variantId", "warehouseId", "condition", "grade"])
            .group("Stock")
            .position(31),
        ListHint::new("listMovements")
            .columns(&[
                "createdAt",
                "movementType",
                "variantId",
                "quantity",
                "fromWarehouseId",
                "toWarehouseId",
                "reason",
            ])
            .group("Stock")
            .position(32),
        ListHint::new("listReservations")
            .columns(&["createdAt", "status", "variantId", "warehouseId", "quantity", "reason"])
            .group("Stock")
            .position(33),
        ListHint::new("listTransferOrders")
            .title(&["number"])
            .columns(&["number", "status", "fromWarehouseId", "toWarehouseId", "expectedOn", "shippedAt", "updatedAt"])
            .group("Stock")
            .position(34),
        ListHint::new("listStockCounts")
            .title(&["number"])
            .columns(&["number", "status", "warehouseId", "postedAt", "updatedAt"])
            .group("Stock")
            .position(35),
        ListHint::new("listWarehouses")
            .title(&["code", "name"])
            .columns(&["code", "name", "type", "status", "legalEntityId"])
            .group("Stock")
            .position(36),
        ListHint::new("listCostLayers")
            .columns(&["createdAt", "variantId", "quantity", "remaining", "unitCost", "value", "currencyCode"])
            .group("Stock")
            .position(37),
        ListHint::new("listValuation")
            .columns(&["variantId", "quantity", "uncostedQuantity"])
            .group("Stock")
            .position(38),
    ],
    references: &[
        ReferenceHint::new("unitIds", "listUnits"),
        ReferenceHint::new("unitId", "listUnits"),
        ReferenceHint::new("inventoryUnitId", "listUnits"),
        ReferenceHint::new("lostUnitIds", "listUnits"),
        ReferenceHint::new("returnedUnitIds", "listUnits"),
        ReferenceHint::new("counterAccountId", "listAccounts"),
    ],
};

stoa_sdk::export_module!(Inventory);
