//! Short words for what tests do with warehouses and serial units.

use serde_json::{Value as Json, json};

use crate::company::{fresh, product, with};
use crate::{Answer, Company};

impl Company {
    /// A location of a warehouse.
    #[track_caller]
    pub fn shelf(&self, warehouse: &str) -> String {
        let code = fresh("L");
        let path = format!("inventory/warehouses/{warehouse}/locations");
        self.post(&path, json!({ "code": code, "name": code })).is(201).id()
    }

    /// A serialized product with these variants: the ids of the variants.
    #[track_caller]
    pub fn serialized(&self, variants: Json) -> Vec<String> {
        let members = json!({
            "trackInventory": true, "trackSerials": true, "publicationStatus": "PUBLISHED", "variants": variants,
        });
        let answer = self.post("catalog/products", with(&product(&fresh("Phone ")), members)).is(201);
        let variants = answer["variants"].as_array().cloned().unwrap_or_default();
        variants.iter().filter_map(|variant| variant["id"].as_str().map(str::to_string)).collect()
    }

    /// A serialized variant that states the condition NEW.
    #[track_caller]
    pub fn phone(&self) -> String {
        self.serialized(json!([{ "sku": fresh("PHONE-"), "condition": "NEW" }])).remove(0)
    }

    /// Asks to admit units.
    #[track_caller]
    pub fn try_admit(&self, variant: &str, warehouse: &str, cost: Option<&str>, units: Json) -> Answer {
        let body = json!({
            "variantId": variant, "warehouseId": warehouse, "unitCost": cost, "reason": "Opening stock", "units": units,
        });
        self.post("inventory/units", body)
    }

    /// Admits that many units with fresh serial numbers, at a cost of 100: their ids.
    #[track_caller]
    pub fn admit(&self, variant: &str, warehouse: &str, count: usize) -> Vec<String> {
        let units: Vec<Json> = (0..count).map(|_| json!({ "serialNumber": fresh("SN-") })).collect();
        self.try_admit(variant, warehouse, Some("100"), json!(units)).is(201).ids()
    }

    #[track_caller]
    pub fn serial_unit(&self, id: &str) -> Answer {
        self.get(&format!("inventory/units/{id}")).is(200)
    }

    /// Asks to move a unit at its present version.
    #[track_caller]
    pub fn move_unit(&self, id: &str, kind: &str, members: Json) -> Answer {
        let version = self.serial_unit(id)["version"].clone();
        let body = json!({ "movementType": kind, "expectedVersion": version, "reason": "By hand" });
        self.post(&format!("inventory/units/{id}/movements"), with(&body, members))
    }

    /// The level of a variant in a warehouse: its figures as numbers of whole pieces, zeros where there is none.
    #[track_caller]
    pub fn pieces(&self, warehouse: &str, variant: &str) -> Json {
        let query = [("warehouseId", warehouse), ("variantId", variant)];
        let levels = self.list("inventory/stock", &query).is(200);
        let figures =
            ["onHand", "reserved", "available", "incoming", "damaged", "quarantined", "inTransit", "returned"];
        let whole = |name: &str| {
            let text = levels.items().first().and_then(|level| level[name].as_str()).unwrap_or("0");
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            assert!(fraction.bytes().all(|digit| digit == b'0'), "not a whole figure: {levels}");
            whole.parse::<i64>().expect("a figure")
        };
        Json::Object(figures.iter().map(|name| ((*name).to_string(), json!(whole(name)))).collect())
    }

    /// Asserts figures of a level; those not named are zero.
    #[track_caller]
    pub fn assert_level(&self, warehouse: &str, variant: &str, expected: Json) {
        let level = self.pieces(warehouse, variant);
        for (name, figure) in level.as_object().into_iter().flatten() {
            let wanted = expected.get(name).cloned().unwrap_or(json!(0));
            assert_eq!(*figure, wanted, "{name} of {level}");
        }
    }

    /// Puts a quantity into a warehouse, at a cost of 1.
    #[track_caller]
    pub fn stock_up(&self, warehouse: &str, variant: &str, quantity: &str) {
        let body = json!({
            "variantId": variant, "quantity": quantity, "reason": "Opening stock", "movementType": "ADJUSTMENT_IN",
            "toWarehouseId": warehouse, "unitCost": "1",
        });
        self.post("inventory/adjustments", body).is(201);
    }

    /// The company as one of its people sees it who may do all of this.
    #[track_caller]
    pub fn colleague(&self, permissions: &[&str]) -> Company {
        let role = self.role(&fresh("ROLE-"), permissions);
        self.member("colleague", &[&role]).1
    }

    /// The company as a keeper of goods sees it who lacks this permission.
    #[track_caller]
    pub fn colleague_without(&self, missing: &str) -> Company {
        let all =
            ["catalog.read", "inventory.read", "inventory.adjust", "inventory.transfer", "inventory.serials.read"];
        let held: Vec<&str> = all.into_iter().filter(|permission| *permission != missing).collect();
        self.colleague(&held)
    }
}

/// An IMEI whose first 14 digits are these.
pub fn imei(stem: u64) -> String {
    let digits = format!("{stem:014}");
    let sum: u32 = digits
        .bytes()
        .enumerate()
        .map(|(index, byte)| {
            let digit = u32::from(byte - b'0');
            if index % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { digit }
        })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}
