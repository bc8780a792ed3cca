//! The operations of import orders: purchase orders with shipments and charges. They are approved, cancelled and
//! received as every purchase order is; every write states the order's version and raises it.

mod charge;
mod input;
mod list;
mod shipment;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::version::Transition;
use stoa_trade::points;

use crate::operations::import_order::input::{AllocateCharge, ChargeInput, ShipmentAdvance, ShipmentInput};
use crate::operations::order::{DRAFTING, REDRAFTING, draft};
use crate::operations::order_list::ListImportOrders;
use crate::records::draft_write::PurchaseOrderDraftWrite;
use crate::records::import_order::{
    ApiImportOrder, ApiImportOrderHeader, ChargeWrite, ImportOrder, ImportOrderHeader, ShipmentWrite,
};
use crate::records::order::{ORDER, ORDER_CREATED, ORDER_UPDATED, PurchaseOrderWrite};
use crate::records::permission::{CLIENT_READ, CLIENT_WRITE, CREATE, READ, RECEIVE};
use crate::rules::terms::{ImportOrderInput, ImportOrderUpdate};

const ORDERS: &str = "/purchases/import-orders";
const ONE: &str = "/purchases/import-orders/{id}";
const UPDATES: &[&str] = &[ORDER_UPDATED.code];

/// Error codes of a shipment's write.
const SHIPPING: &[&str] =
    &["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "DUPLICATE", "LIMIT_EXCEEDED"];

/// Error codes of a charge's write.
const CHARGING: &[&str] =
    &["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "LIMIT_EXCEEDED"];

/// Item codes of an allocation, those of the cost of goods and of the books with them.
const ALLOCATING: &[&str] = &[
    "OTHER_ORDER",
    "OTHER_SHIPMENT",
    "NOT_TRACKED",
    "NOT_RECEIVED",
    "UNCOSTED",
    "ROLE_UNMAPPED",
    "AMOUNT_PRECISION",
    "BEFORE_BOOKS",
    "MONTH_CLOSED",
];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(ORDERS, "listImportOrders", list::list).summary("Import orders")
        .needs(READ).query::<ListImportOrders>().answers::<Page<ImportOrderHeader>>()
        .and_client(Client::new(CLIENT_READ).answers::<Page<ApiImportOrderHeader>>()),
    Operation::create(ORDERS, "createImportOrder", draft::create_import).summary("Draft an import order")
        .description("An import order is a purchase order of kind IMPORT. Approve, cancel and receive it like any other \
            purchase order.")
        .needs(CREATE).body::<ImportOrderInput>().grows_with("/items").answers::<PurchaseOrderDraftWrite>()
        .writes(ORDER, &[ORDER_CREATED.code]).problems(DRAFTING).reaches(&[points::NUMBERING.0])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::read(ONE, "getImportOrder", list::read).summary("An import order")
        .description("Includes shipments and charges. `destinations`, the places of the goods when a charge was allocated, are \
            present only for callers who may read costs.")
        .needs(READ).answers::<ImportOrder>().cache_control("no-store")
        .and_client(Client::new(CLIENT_READ).answers::<ApiImportOrder>().description("")),
    Operation::replace(ONE, "replaceImportOrder", draft::replace_import).summary("Replace an import order")
        .description("A DRAFT can be replaced in full. On an approved or partially received order only `transportMode`, ports, \
            `customsReference`, `notes` and `expectedOn` may change.")
        .needs(CREATE).body::<ImportOrderUpdate>().grows_with("/items").answers::<PurchaseOrderDraftWrite>()
        .writes(ORDER, UPDATES).without_if_match().problems(REDRAFTING)
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::create("/purchases/import-orders/{id}/shipments", "addShipment", shipment::add).summary("Plan a shipment")
        .description("Only on an approved or partially received order. All shipments that are not cancelled together carry at \
            most the ordered quantity of a line.")
        .needs(CREATE).body::<ShipmentInput>().grows_with("/items").answers::<ShipmentWrite>().writes(ORDER, UPDATES).problems(SHIPPING)
        .item_codes(&["OTHER_ORDER"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::replace("/purchases/import-orders/{id}/shipments/{shipmentId}", "replaceShipment", shipment::replace)
        .summary("Replace a shipment")
        .description("Full replacement. The number must be the current one. The goods can change only while the shipment is \
            PLANNED.")
        .needs(CREATE).body::<ShipmentInput>().grows_with("/items").answers::<PurchaseOrderWrite>()
        .writes(ORDER, UPDATES).without_if_match().problems(SHIPPING)
        .item_codes(&["OTHER_ORDER"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::transition("/purchases/import-orders/{id}/shipments/{shipmentId}/advance", "advanceShipment", shipment::advance)
        .summary("Advance a shipment")
        .description("Moves the shipment forward; you may skip steps. It can be CANCELLED until goods of it are received. The \
            receipt of its last goods sets RECEIVED.")
        .needs(CREATE).body::<ShipmentAdvance>().answers::<PurchaseOrderWrite>()
        .writes(ORDER, UPDATES).without_if_match().problems(&["VERSION_CONFLICT", "ILLEGAL_STATE"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::create("/purchases/import-orders/{id}/charges", "addCharge", charge::add).summary("Add a charge")
        .description("Adds freight, duty or a similar charge in the currency of the order, to any order except a draft. It \
            raises the cost of goods as far as it is allocated to them.")
        .needs(CREATE).body::<ChargeInput>().answers::<ChargeWrite>().writes(ORDER, UPDATES).problems(CHARGING)
        .item_codes(&["OTHER_ORDER"]),
    Operation::replace("/purchases/import-orders/{id}/charges/{chargeId}", "replaceCharge", charge::replace)
        .summary("Replace a charge")
        .description("Full replacement while a part of the charge is not allocated. The amount cannot be lower than the \
            allocated part.")
        .needs(CREATE).body::<ChargeInput>().answers::<PurchaseOrderWrite>()
        .writes(ORDER, UPDATES).without_if_match().problems(CHARGING)
        .item_codes(&["OTHER_ORDER"]),
    Operation::create("/purchases/import-orders/{id}/charges/{chargeId}/allocations", "allocateCharge", charge::allocate)
        .summary("Allocate a charge to received goods")
        .description("State an amount for each line of a receipt of this order; nothing is pro-rated. The share of goods on \
            hand raises their cost; the share of goods that left is posted to where they went. An allocation is final.")
        .needs(RECEIVE).body::<AllocateCharge>().grows_with("/allocations").answers::<PurchaseOrderWrite>().writes(ORDER, UPDATES)
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED", "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(ALLOCATING),
    Operation::transition("/purchases/import-orders/{id}/charges/{chargeId}/cancel", "cancelCharge", charge::cancel)
        .summary("Cancel a charge").description("Rejected if a part of the charge is allocated.")
        .needs(CREATE).body::<Transition>().answers::<PurchaseOrderWrite>()
        .writes(ORDER, UPDATES).without_if_match().problems(&["VERSION_CONFLICT", "ILLEGAL_STATE"]),
];
