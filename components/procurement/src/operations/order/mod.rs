//! The operations of purchase orders, of both kinds where they are the same.

mod approve;
mod cancel;
pub mod draft;
mod list;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::version::{ReasonedTransition, Transition};
use stoa_trade::points;

use crate::operations::order_list::ListPurchaseOrders;
use crate::records::draft_write::PurchaseOrderDraftWrite;
use crate::records::order::{ORDER, ORDER_APPROVED, ORDER_CANCELLED, ORDER_CREATED, ORDER_UPDATED, PurchaseOrderWrite};
use crate::records::permission::{APPROVE, CLIENT_READ, CLIENT_WRITE, CREATE, CREATE_OR_APPROVE, READ};
use crate::records::shown_order::{ApiPurchaseOrder, ApiPurchaseOrderHeader, PurchaseOrder, PurchaseOrderHeader};
use crate::rules::terms::{PurchaseOrderInput, PurchaseOrderUpdate};

const ORDERS: &str = "/purchases/orders";
const ONE: &str = "/purchases/orders/{id}";

/// Error codes of a draft, except those of its version.
pub const DRAFTING: &[&str] = &["DUPLICATE", "REFERENCE_INVALID", "CUSTODY_CONFLICT", "LIMIT_EXCEEDED"];

/// Error codes of the replacement of a draft.
pub const REDRAFTING: &[&str] = &[
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "IMMUTABLE_FIELD",
    "REFERENCE_INVALID",
    "CUSTODY_CONFLICT",
    "LIMIT_EXCEEDED",
];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(ORDERS, "listPurchaseOrders", list::list).summary("Purchase orders")
        .needs(READ).query::<ListPurchaseOrders>().answers::<Page<PurchaseOrderHeader>>()
        .and_client(Client::new(CLIENT_READ).answers::<Page<ApiPurchaseOrderHeader>>()),
    Operation::create(ORDERS, "createPurchaseOrder", draft::create).summary("Draft a purchase order")
        .description("A draft has no effect: goods are expected once the order is approved. An order has one legal entity, \
            warehouse, supplier and currency. A variant may appear on one line only: add its quantities up, or create a second \
            order if costs differ.")
        .needs(CREATE).body::<PurchaseOrderInput>().grows_with("/items").answers::<PurchaseOrderDraftWrite>()
        .writes(ORDER, &[ORDER_CREATED.code]).problems(DRAFTING).reaches(&[points::NUMBERING.0])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::read(ONE, "getPurchaseOrder", list::read).summary("A purchase order")
        .description("Lists STANDARD and IMPORT orders. The shipments and charges of an import order are in `getImportOrder`.")
        .needs(READ).answers::<PurchaseOrder>().cache_control("no-store")
        .and_client(Client::new(CLIENT_READ).answers::<ApiPurchaseOrder>()),
    Operation::replace(ONE, "replacePurchaseOrder", draft::replace).summary("Replace a draft of a purchase order")
        .description("Full replacement of a draft: omitted `notes` and `expectedOn` become null. Number and legal entity must \
            be the current ones. A line keeps its id while its variant remains, and gets the same id if the variant returns.")
        .needs(CREATE).body::<PurchaseOrderUpdate>().grows_with("/items").answers::<PurchaseOrderDraftWrite>()
        .writes(ORDER, &[ORDER_UPDATED.code]).without_if_match().problems(REDRAFTING)
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::transition("/purchases/orders/{id}/approve", "approvePurchaseOrder", approve::approve)
        .summary("Approve a purchase order")
        .description("Users only. The goods are expected from then on; currency, lines and costs are fixed. If the settings \
            require a second approver, the user who drafted the order or last replaced its draft cannot approve it.")
        .needs(APPROVE).body::<Transition>().answers::<PurchaseOrderWrite>()
        .writes(ORDER, &[ORDER_APPROVED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "LIMIT_EXCEEDED", "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["ROLE_UNMAPPED", "AMOUNT_PRECISION"]).reaches(&["inventory.updated"]),
    Operation::transition("/purchases/orders/{id}/cancel", "cancelPurchaseOrder", cancel::cancel)
        .summary("Cancel a purchase order")
        .description("A draft needs `purchases.create`, an approved order `purchases.approve`. The outstanding quantity is no \
            longer expected, and shipments that have not arrived are cancelled. Receipts remain.")
        .needs_any(CREATE_OR_APPROVE).body::<ReasonedTransition>().answers::<PurchaseOrderWrite>()
        .writes(ORDER, &[ORDER_CANCELLED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED"]).reaches(&["inventory.updated"])
        .and_client(Client::new(CLIENT_WRITE).description("Cancels a DRAFT. An approved order needs a user.")
            .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE"])),
];
