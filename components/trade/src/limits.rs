//! Limits of the lists in bodies and records. Each is named once, with the sentence of the specification that sets it;
//! schemas and checks use the name.

/// "Lines per purchase order / goods receipt / sales order: max 100 distinct lines" (service-interface.md, Limits).
/// Quotations and returns (sales-pos.md), invoices (finance-ledger.md), transfer orders and counts
/// (inventory-procurement.md) take as many at once.
pub const LINES: usize = 100;

/// "Units per goods receipt / per sales order: max 100" (service-interface.md, Limits). Every other document,
/// and every request that admits units, takes as many.
pub const UNITS: usize = 100;

/// "Variants created with a product: max 100" (service-interface.md, Limits).
pub const VARIANTS: usize = 100;

/// "searchAliases: array max 16" (service-interface.md, Limits).
pub const SEARCH_ALIASES: usize = 16;

/// "up to 500 products with variants", "up to 500 creates, all or nothing" (catalog-pricing.md): records that one
/// request creates.
pub const BATCH: usize = 500;

/// Variants with goods on hand that the answer to an archive request lists.
pub const WARNINGS: usize = 20;

/// "variantIds: 1..100" (catalog-pricing.md, resolve many).
pub const RESOLVED_PRICES: usize = 100;

/// "contacts: max 20" (sales-pos.md 2.1).
pub const CONTACTS: usize = 20;

/// "addresses: max 20" (sales-pos.md 2.1).
pub const ADDRESSES: usize = 20;

/// "tags: max 20" (sales-pos.md 2.1).
pub const TAGS: usize = 20;

/// "Payment components per checkout: 1..8" (service-interface.md, Limits).
pub const CHECKOUT_PAYMENTS: usize = 8;

/// "Applications per payment: max 50" (service-interface.md, Limits).
pub const APPLICATIONS: usize = 50;

/// "Credit cost lines: 1..50" (service-interface.md, Limits).
pub const COST_LINES: usize = 50;

/// Roles that one request maps: there are fewer.
pub const MAPPED_ROLES: usize = 50;

/// Payment methods that one request maps: there are fewer.
pub const MAPPED_METHODS: usize = 10;

/// "lines 2..100" of an entry by hand (finance-ledger.md, createJournalEntry).
pub const MANUAL_LINES: usize = 100;

/// "costs? 0..500" (finance-ledger.md, startBooks).
pub const STATED_COSTS: usize = 500;

/// "at most 500 lines and 500 units" of a stock count (inventory-procurement.md).
pub const COUNTED: usize = 500;

/// "shipments (max 50)" of an import order (inventory-procurement.md).
pub const SHIPMENTS: usize = 50;

/// "containers (max 50 of 1..20)" of a shipment (inventory-procurement.md).
pub const CONTAINERS: usize = 50;

/// "charges (max 50)" of an import order (inventory-procurement.md).
pub const CHARGES: usize = 50;

/// "allocations 1..100" of a charge (inventory-procurement.md, allocateCharge).
pub const ALLOCATIONS: usize = 100;

/// "at most 25 per point" (issue 37): extensions of one point, and so the adjustments of one price.
pub const EXTENSIONS: usize = 25;
