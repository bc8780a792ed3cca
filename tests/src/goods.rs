//! Short words for what tests do with stock.

use serde_json::{Value as Json, json};

use crate::company::{fresh, onboarding, product, with};
use crate::{Answer, Company, Database, Stoa};

/// How every movement of a test is explained.
pub const WHY: &str = "a test";

impl Stoa {
    /// A fresh company made from these onboarding members.
    pub fn company_with(&self, members: Json) -> Company {
        let token = self.token("owner@example.test");
        let body = with(&onboarding(&fresh("Company ")), members);
        let answer = self.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send().is(201);
        let created = answer["created"].as_array().cloned().unwrap_or_default();
        Company { host: self.clone(), tenant: answer.text("tenantId"), token, created }
    }
}

/// A fresh company that keeps books in euro.
pub fn bookkeeping(database: Database) -> Company {
    crate::host::shared(database).company_with(json!({ "keepsBooks": true }))
}

impl Company {
    /// The entity that onboarding made.
    #[track_caller]
    pub fn entity(&self) -> String {
        self.made("LEGAL_ENTITY").expect("onboarding made no legal entity")
    }

    /// The warehouse MAIN that onboarding made.
    #[track_caller]
    pub fn main(&self) -> String {
        self.made("WAREHOUSE").expect("onboarding made no warehouse")
    }

    /// The warehouse TRANSIT that onboarding made: of its type the only one of the entity, so that transfer orders find it.
    #[track_caller]
    pub fn transit(&self) -> String {
        let found = self.list("inventory/warehouses", &[("type", "IN_TRANSIT")]).is(200).ids();
        found.into_iter().next().expect("onboarding made no warehouse for goods in transit")
    }

    /// One more warehouse of the first entity.
    #[track_caller]
    pub fn warehouse(&self, kind: &str) -> String {
        self.warehouse_of(kind, &self.entity())
    }

    #[track_caller]
    pub fn warehouse_of(&self, kind: &str, entity: &str) -> String {
        let code = fresh("W");
        let body = json!({ "code": code, "name": code, "type": kind, "legalEntityId": entity });
        self.post("inventory/warehouses", body).is(201).id()
    }

    /// One more legal entity, without books.
    #[track_caller]
    pub fn other_entity(&self) -> String {
        let code = fresh("E");
        self.post("ledger/legal-entities", json!({ "code": code, "name": code })).is(201).id()
    }

    /// The variant of a tracked good on sale whose unit has this many digits after the point.
    #[track_caller]
    pub fn counted(&self, decimal_places: u8) -> String {
        let unit = fresh("U");
        self.unit(&unit, decimal_places);
        self.good(json!({ "unitOfMeasure": unit, "trackInventory": true }))
    }

    /// The variant of a good on sale with these members.
    #[track_caller]
    pub fn good(&self, members: Json) -> String {
        let sku = fresh("SKU");
        let fixed = json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": sku }] });
        let answer = self.post("catalog/products", with(&with(&product(&sku), fixed), members)).is(201);
        answer["variants"][0]["id"].as_str().expect("a variant").to_string()
    }

    /// ADJUSTMENT_IN.
    #[track_caller]
    pub fn bring(&self, variant: &str, warehouse: &str, quantity: &str, unit_cost: Option<&str>) -> Answer {
        self.post("inventory/adjustments", inbound(variant, warehouse, quantity, unit_cost))
    }

    /// ADJUSTMENT_OUT, DAMAGE or LOSS.
    #[track_caller]
    pub fn take(&self, kind: &str, variant: &str, warehouse: &str, quantity: &str) -> Answer {
        self.post("inventory/adjustments", outbound(kind, variant, warehouse, quantity))
    }

    #[track_caller]
    pub fn transfer(&self, variant: &str, quantity: &str, from: &str, to: &str) -> Answer {
        let body = json!({
            "variantId": variant, "quantity": quantity, "fromWarehouseId": from, "toWarehouseId": to, "reason": WHY
        });
        self.post("inventory/transfers", body)
    }

    #[track_caller]
    pub fn reserve(&self, variant: &str, warehouse: &str, quantity: &str) -> Answer {
        let body = json!({ "variantId": variant, "warehouseId": warehouse, "quantity": quantity, "reason": WHY });
        self.post("inventory/reservations", body)
    }

    #[track_caller]
    pub fn release(&self, reservation: &str) -> Answer {
        self.post(&format!("inventory/reservations/{reservation}/release"), json!({ "reason": WHY }))
    }

    /// The level of a pair; null where there is none.
    #[track_caller]
    pub fn level(&self, variant: &str, warehouse: &str) -> Json {
        let page = self.list("inventory/stock", &[("variantId", variant), ("warehouseId", warehouse)]).is(200);
        page.items().first().cloned().unwrap_or_default()
    }

    /// A figure of a pair's level.
    #[track_caller]
    pub fn figure(&self, variant: &str, warehouse: &str, name: &str) -> String {
        let level = self.level(variant, warehouse);
        level[name].as_str().unwrap_or_else(|| panic!("no {name}: {level}")).to_string()
    }

    /// The value of the variant's goods, as the first entity's only value.
    #[track_caller]
    pub fn worth(&self, variant: &str) -> String {
        let page = self.list("inventory/valuation", &[("variantId", variant)]).is(200);
        match page.items() {
            [] => "0.000000000000".to_string(),
            [row] => row["values"][0]["value"].as_str().unwrap_or_default().to_string(),
            _ => panic!("several rows: {page}"),
        }
    }

    /// A verification of this company finds nothing.
    #[track_caller]
    pub fn verified(&self) {
        assert_eq!(self.host.verify(&[&self.tenant]), json!({ "companies": 1, "findings": [] }));
    }
}

/// The body of an ADJUSTMENT_IN.
pub fn inbound(variant: &str, warehouse: &str, quantity: &str, unit_cost: Option<&str>) -> Json {
    json!({
        "movementType": "ADJUSTMENT_IN", "variantId": variant, "toWarehouseId": warehouse, "quantity": quantity,
        "unitCost": unit_cost, "reason": WHY
    })
}

/// The body of an ADJUSTMENT_OUT, DAMAGE or LOSS.
pub fn outbound(kind: &str, variant: &str, warehouse: &str, quantity: &str) -> Json {
    json!({
        "movementType": kind, "variantId": variant, "fromWarehouseId": warehouse, "quantity": quantity, "reason": WHY
    })
}
