//! The service `commerce:inventory/warehouses`: what other modules ask of warehouses.

use stoa_sdk::Field;
use stoa_sdk::store::{find, read};
use stoa_trade::Status;
use stoa_trade::services::read_rows;

use crate::bindings::exports::commerce::inventory::warehouses::{self as service, Guest, Kind, Location, Warehouse};
use crate::records::location::LocationRow;
use crate::records::warehouse::{WarehouseRow, WarehouseType};
use crate::services::Services;

impl Guest for Services {
    fn get_many(ids: Vec<(u64, u64)>) -> Vec<Warehouse> {
        read_rows(ids).into_iter().map(to_wire).collect()
    }

    fn locations(ids: Vec<(u64, u64)>) -> Vec<Location> {
        let location_to_wire = |row: LocationRow| Location {
            id: row.id.into(),
            warehouse_id: row.warehouse_id.into(),
            active: row.status == Status::Active,
        };
        read_rows(ids).into_iter().map(location_to_wire).collect()
    }

    fn find_by_code(code: String) -> Option<Warehouse> {
        let rows = read(find::<WarehouseRow>("code", [vec![code.to_ascii_lowercase().put()]]));
        rows.into_iter().next().map(to_wire)
    }
}

fn to_wire(row: WarehouseRow) -> service::Warehouse {
    Warehouse {
        id: row.id.into(),
        normal: row.is_normal(),
        active: row.status == Status::Active,
        kind: match row.kind {
            WarehouseType::Physical => Kind::Physical,
            WarehouseType::Virtual => Kind::Virtual,
            WarehouseType::InTransit => Kind::InTransit,
            WarehouseType::ThirdParty => Kind::ThirdParty,
            WarehouseType::Quarantine => Kind::Quarantine,
        },
        legal_entity_id: row.legal_entity_id.into(),
        branch_id: row.branch_id.map(Into::into),
        code: row.code,
        name: row.name,
    }
}
