//! How a unit's state changes: which causes take it from where to where. The table of the specification as functions, so that
//! every road (by hand, by a document, by another module) asks the same one.

use stoa_sdk::Problem;

use crate::records::unit::{UnitRow, UnitStatus};
use crate::records::warehouse::WarehouseType;

/// Causes of a unit's changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// By hand, between warehouses of an entity or inside one.
    Transfer,
    Damage,
    /// By hand, or missing in a count.
    Loss,
    /// A LOST unit found again: by hand or in a count.
    Find,
    Reserve,
    Regrade,
    /// Repaired, bought back, or back from the supplier.
    Readmit,
    SupplierReturn,
}

/// The status of a unit in a warehouse of this type.
pub fn status_in(kind: WarehouseType) -> UnitStatus {
    match kind {
        WarehouseType::Quarantine => UnitStatus::Quarantined,
        WarehouseType::InTransit => UnitStatus::InTransit,
        WarehouseType::Physical | WarehouseType::Virtual | WarehouseType::ThirdParty => UnitStatus::Available,
    }
}

/// Returns whether the cause may act on a unit as it is. One that a transfer order holds or carries waits for its order.
pub fn admits(cause: Cause, status: UnitStatus, is_on_order: bool) -> bool {
    use UnitStatus::{Available, Damaged, InTransit, Lost, Quarantined, Returned, Rma, Sold};
    if is_on_order {
        return false;
    }
    match cause {
        Cause::Transfer | Cause::Loss => {
            matches!(status, Available | InTransit | Quarantined | Returned | Damaged)
        }
        Cause::Damage => matches!(status, Available | InTransit | Quarantined | Returned),
        Cause::Find => status == Lost,
        Cause::Reserve => status == Available,
        Cause::Regrade => matches!(status, Available | InTransit | Quarantined | Returned | Damaged),
        Cause::Readmit => matches!(status, Damaged | Sold | Rma),
        Cause::SupplierReturn => matches!(status, Available | Quarantined | Returned | Damaged),
    }
}

/// # Errors
/// UNIT_UNAVAILABLE, at `pointer` where there is one.
pub fn check(cause: Cause, unit: &UnitRow, pointer: Option<&str>) -> Result<(), Problem> {
    match admits(cause, unit.status, unit.transfer_order_id.is_some()) {
        true => Ok(()),
        false => Err(unavailable(pointer)),
    }
}

/// 409: the unit is not in a state that allows it.
pub fn unavailable(pointer: Option<&str>) -> Problem {
    match pointer {
        Some(pointer) => Problem::at("UNIT_UNAVAILABLE", pointer),
        None => Problem::new("UNIT_UNAVAILABLE"),
    }
}

/// The status of a transferred unit: DAMAGED stays, all else follows from the warehouse.
pub fn status_after_transfer(status: UnitStatus, to: WarehouseType) -> UnitStatus {
    if status == UnitStatus::Damaged { status } else { status_in(to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [UnitStatus; 9] = [
        UnitStatus::Available,
        UnitStatus::Reserved,
        UnitStatus::Sold,
        UnitStatus::InTransit,
        UnitStatus::Damaged,
        UnitStatus::Returned,
        UnitStatus::Rma,
        UnitStatus::Lost,
        UnitStatus::Quarantined,
    ];

    /// Letters of the states that a cause admits: A R S I D T(returned) M(rma) L Q.
    fn admitting_states(cause: Cause) -> String {
        ALL.into_iter()
            .zip("ARSIDTMLQ".chars())
            .filter(|(status, _)| admits(cause, *status, false))
            .map(|(_, c)| c)
            .collect()
    }

    #[test]
    fn the_table_of_states() {
        for (cause, states) in [
            (Cause::Transfer, "AIDTQ"),
            (Cause::Damage, "AITQ"),
            (Cause::Loss, "AIDTQ"),
            (Cause::Find, "L"),
            (Cause::Reserve, "A"),
            (Cause::Regrade, "AIDTQ"),
            (Cause::Readmit, "SDM"),
            (Cause::SupplierReturn, "ADTQ"),
        ] {
            assert_eq!(admitting_states(cause), states, "{cause:?}");
            assert!(ALL.into_iter().all(|status| !admits(cause, status, true)), "{cause:?} on an order");
        }
    }

    #[test]
    fn e34_what_a_warehouse_makes_of_a_unit() {
        for (kind, status) in [
            (WarehouseType::Quarantine, UnitStatus::Quarantined),
            (WarehouseType::InTransit, UnitStatus::InTransit),
            (WarehouseType::Physical, UnitStatus::Available),
            (WarehouseType::ThirdParty, UnitStatus::Available),
            (WarehouseType::Virtual, UnitStatus::Available),
        ] {
            assert_eq!(status_after_transfer(UnitStatus::Returned, kind), status);
            assert_eq!(status_after_transfer(UnitStatus::Damaged, kind), UnitStatus::Damaged);
        }
    }
}
