//! A company of its own for every test, and short words for what tests do in one.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value as Json, json};

use crate::{Answer, Database, Request, Stoa, host};

/// A company and one of its people, as seen by a client.
#[derive(Clone)]
pub struct Company {
    pub host: Stoa,
    pub tenant: String,
    pub token: String,
    /// The records that onboarding made.
    pub created: Vec<Json>,
}

/// A fresh company on the shared host of this database.
pub fn company(database: Database) -> Company {
    host::shared(database).company()
}

/// A word that no other test of this process used: `N17`.
pub fn fresh(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The body of an onboarding request.
pub fn onboarding(name: &str) -> Json {
    json!({ "name": name, "currencyCode": "EUR" })
}

impl Stoa {
    /// A fresh company with defaults, owned by the suite's user.
    pub fn company(&self) -> Company {
        self.company_of("owner@example.test")
    }

    pub fn company_of(&self, email: &str) -> Company {
        let token = self.token(email);
        let body = onboarding(&fresh("Company "));
        let answer = self.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send().is(201);
        let created = answer["created"].as_array().cloned().unwrap_or_default();
        Company { host: self.clone(), tenant: answer.text("tenantId"), token, created }
    }
}

impl Company {
    /// A request below `/v1/tenants/{tenantId}/`.
    pub fn request(&self, method: &str, path: &str) -> Request {
        self.host.request(method, &format!("/v1/tenants/{}/{path}", self.tenant)).token(&self.token)
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path).send()
    }

    #[track_caller]
    pub fn list(&self, path: &str, query: &[(&str, &str)]) -> Answer {
        self.request("GET", path).query(query).send()
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: Json) -> Answer {
        self.request("POST", path).json(&body).send()
    }

    #[track_caller]
    pub fn put(&self, path: &str, body: Json) -> Answer {
        self.request("PUT", path).json(&body).send()
    }

    #[track_caller]
    pub fn delete(&self, path: &str) -> Answer {
        self.request("DELETE", path).send()
    }

    #[track_caller]
    pub fn archive(&self, path: &str) -> Answer {
        self.post(&format!("{path}/archive"), json!({}))
    }

    /// Every item of a list, page by page.
    #[track_caller]
    pub fn all(&self, path: &str, query: &[(&str, &str)]) -> Vec<Json> {
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut request = self.request("GET", path).query(query);
            if let Some(cursor) = &cursor {
                request = request.query(&[("cursor", cursor)]);
            }
            let page = request.send().is(200);
            items.extend(page.items().iter().cloned());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_string()),
                None => return items,
            }
        }
    }

    /// The same company with another of its people, or with a stranger.
    pub fn as_user(&self, email: &str) -> Company {
        Company { token: self.host.token(email), ..self.clone() }
    }

    /// The id of what onboarding made of this type, e.g. `PRICE_LIST`.
    pub fn made(&self, resource_type: &str) -> Option<String> {
        let made = self.created.iter().find(|made| made["resourceType"] == resource_type)?;
        made["id"].as_str().map(str::to_string)
    }

    // Records that nearly every test of catalog and pricing needs.

    /// A brand with this code.
    #[track_caller]
    pub fn brand(&self, code: &str) -> String {
        self.post("catalog/lookups/brands", json!({ "name": format!("Brand {code}"), "code": code })).is(201).id()
    }

    /// A unit with this code.
    #[track_caller]
    pub fn unit(&self, code: &str, decimal_places: u8) -> String {
        let body = json!({ "name": format!("Unit {code}"), "code": code, "decimalPlaces": decimal_places });
        self.post("catalog/lookups/units", body).is(201).id()
    }

    /// A product without variants.
    #[track_caller]
    pub fn product(&self, name: &str) -> String {
        self.post("catalog/products", product(name)).is(201).id()
    }

    /// A draft product with one variant: the ids of both.
    #[track_caller]
    pub fn article(&self, sku: &str) -> (String, String) {
        let body = with(&product(&format!("Product {sku}")), json!({ "variants": [{ "sku": sku }] }));
        let answer = self.post("catalog/products", body).is(201);
        let variant = answer["variants"][0]["id"].as_str().map(str::to_string);
        (answer.id(), variant.unwrap_or_else(|| panic!("no variant: {answer}")))
    }

    /// The variant of a published product: what a price can be in effect for.
    #[track_caller]
    pub fn on_sale(&self, sku: &str) -> String {
        let members = json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": sku }] });
        let answer = self.post("catalog/products", with(&product(&format!("Product {sku}")), members)).is(201);
        answer["variants"][0]["id"].as_str().map(str::to_string).unwrap_or_else(|| panic!("no variant: {answer}"))
    }

    #[track_caller]
    pub fn variant(&self, product: &str, sku: &str) -> String {
        self.post(&format!("catalog/products/{product}/variants"), json!({ "sku": sku })).is(201).id()
    }

    /// A price list in euro.
    #[track_caller]
    pub fn price_list(&self, code: &str) -> String {
        let body =
            json!({ "code": code, "name": format!("List {code}"), "currencyCode": "EUR", "visibility": "PUBLIC" });
        self.post("pricing/price-lists", body).is(201).id()
    }

    /// Asks for a price of 9.99 euro in a period.
    #[track_caller]
    pub fn price(&self, list: &str, variant: &str, from: Option<&str>, to: Option<&str>) -> Answer {
        let path = format!("pricing/price-lists/{list}/prices");
        self.post(&path, price(variant, "9.99", from, to))
    }
}

/// The smallest product.
pub fn product(name: &str) -> Json {
    json!({ "name": name, "productType": "GOOD", "unitOfMeasure": "UNIT" })
}

/// A price in euro.
pub fn price(variant: &str, amount: &str, from: Option<&str>, to: Option<&str>) -> Json {
    json!({ "variantId": variant, "currencyCode": "EUR", "amount": amount, "validFrom": from, "validTo": to })
}

/// `base` with members changed or added.
pub fn with(base: &Json, changes: Json) -> Json {
    let mut body = base.clone();
    for (name, value) in changes.as_object().into_iter().flatten() {
        body[name.as_str()] = value.clone();
    }
    body
}

/// `base` without a member.
pub fn without(base: &Json, member: &str) -> Json {
    let mut body = base.clone();
    if let Some(members) = body.as_object_mut() {
        members.remove(member);
    }
    body
}
