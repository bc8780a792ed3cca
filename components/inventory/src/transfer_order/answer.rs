//! What is answered of transfer orders: to people, and without tenant and units to API clients.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant};

use crate::terms::{Quantity, Tracking};
use crate::transfer_order::row::{TransferItemRow, TransferOrderRow, TransferStatus, UnitOutcome};
use crate::unit::row::UnitStatus;

/// What a write answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferOrderReceipt {
    pub id: Id,
    pub status: TransferStatus,
    #[schemars(range(min = 1))]
    pub version: i64,
    pub created_at: Instant,
    pub updated_at: Instant,
}

/// An order in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferOrderHeader {
    pub id: Id,
    /// People only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<Id>,
    pub number: String,
    pub status: TransferStatus,
    #[schemars(range(min = 1))]
    pub version: i64,
    pub legal_entity_id: Id,
    pub from_warehouse_id: Id,
    pub to_warehouse_id: Id,
    pub transit_warehouse_id: Option<Id>,
    pub expected_on: Option<Date>,
    pub notes: Option<String>,
    pub item_count: i64,
    pub shipped_at: Option<Instant>,
    pub closed_at: Option<Instant>,
    pub cancel_reason: Option<String>,
    pub created_at: Instant,
    pub updated_at: Instant,
}

impl TransferOrderHeader {
    pub fn of(row: &TransferOrderRow, tenant: Option<Id>) -> TransferOrderHeader {
        TransferOrderHeader {
            id: row.id,
            tenant_id: tenant,
            number: row.number.clone(),
            status: row.status,
            version: row.version,
            legal_entity_id: row.legal_entity_id,
            from_warehouse_id: row.from_warehouse_id,
            to_warehouse_id: row.to_warehouse_id,
            transit_warehouse_id: row.transit_warehouse_id,
            expected_on: row.expected_on,
            notes: row.notes.clone(),
            item_count: row.item_count,
            shipped_at: row.shipped_at,
            closed_at: row.closed_at,
            cancel_reason: row.cancel_reason.clone(),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// An order whole.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferOrder {
    #[serde(flatten)]
    pub header: TransferOrderHeader,
    pub items: Vec<TransferItem>,
}

/// A line: its quantity is what was received, lost, returned and is outstanding, together. Nothing is outstanding of a cancelled
/// order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferItem {
    pub id: Id,
    pub variant_id: Id,
    pub tracking_mode: Tracking,
    pub quantity: Quantity,
    pub received_quantity: Quantity,
    pub lost_quantity: Quantity,
    pub returned_quantity: Quantity,
    pub outstanding_quantity: Quantity,
    /// Units chosen for the line.
    pub unit_count: i64,
    /// Only to readers of serial numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Vec<TransferUnit>>,
}

impl TransferItem {
    pub fn of(
        row: &TransferItemRow,
        status: TransferStatus,
        unit_count: usize,
        units: Option<Vec<TransferUnit>>,
    ) -> TransferItem {
        let outstanding = match status {
            TransferStatus::Cancelled => Quantity::ZERO,
            _ => row.outstanding().unwrap_or(Quantity::ZERO),
        };
        TransferItem {
            id: row.id,
            variant_id: row.variant_id,
            tracking_mode: row.tracking,
            quantity: row.quantity,
            received_quantity: row.received,
            lost_quantity: row.lost,
            returned_quantity: row.returned,
            outstanding_quantity: outstanding,
            unit_count: i64::try_from(unit_count).unwrap_or(i64::MAX),
            units,
        }
    }
}

/// A unit of a line, as it is now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferUnit {
    pub unit_id: Id,
    /// Null in a draft.
    pub outcome: Option<UnitOutcome>,
    pub serial_number: Option<String>,
    pub imei1: Option<String>,
    pub imei2: Option<String>,
    pub status: UnitStatus,
}
