//! Sends the sample's purchases as an integrator would: each write has a key made of what it writes, so that a load that was
//! stopped runs again from its first step, and what is there already is answered, not made twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use stoa_tests::company::product;
use stoa_tests::company::with;
use stoa_tests::{Answer, Company, at_once};

use super::source::{Order, Source};

/// People who send at once.
const SENDERS: usize = 6;

/// The load ended before its end.
#[derive(Debug, PartialEq)]
pub struct Stopped;

pub struct Loader<'a> {
    shop: &'a Company,
    source: &'a Source,
    /// Writes that it may still send.
    left: AtomicUsize,
}

/// The records that orders refer to.
struct Ids {
    entity: String,
    warehouse: String,
    vendors: BTreeMap<String, String>,
    variants: BTreeMap<String, String>,
}

impl<'a> Loader<'a> {
    /// Stops after so many writes.
    pub fn new(shop: &'a Company, source: &'a Source, writes: usize) -> Loader<'a> {
        Loader { shop, source, left: AtomicUsize::new(writes) }
    }

    pub fn load(&self) -> Result<(), Stopped> {
        let ids = self.load_parties()?;
        let send = |sender: usize| {
            self.source.orders.iter().skip(sender).step_by(SENDERS).try_for_each(|order| self.load_order(order, &ids))
        };
        at_once(SENDERS, send).into_iter().collect()
    }

    /// Vendors one by one, products by the import.
    fn load_parties(&self) -> Result<Ids, Stopped> {
        let mut vendors = BTreeMap::new();
        for vendor in &self.source.vendors {
            let made =
                self.post("purchases/suppliers", &vendor.code, &json!({ "code": vendor.code, "name": vendor.name }))?;
            vendors.insert(vendor.id.clone(), made.is(201).id());
        }
        let products: Vec<Json> = self
            .source
            .products
            .iter()
            .map(|article| {
                with(&product(&article.name), json!({ "trackInventory": true, "variants": [{ "sku": article.sku }] }))
            })
            .collect();
        let made = self.post("catalog/imports", "products", &json!({ "products": products }))?.is(201);
        let variant = |item: &Json| item["variants"][0]["id"].as_str().unwrap_or_default().to_string();
        let ids = made.items().iter().map(variant);
        let variants = self.source.products.iter().map(|article| article.id.clone()).zip(ids).collect();
        Ok(Ids { entity: self.shop.entity(), warehouse: self.shop.main(), vendors, variants })
    }

    /// The order, its approval, what came of it, and its end where nothing more comes.
    fn load_order(&self, order: &Order, ids: &Ids) -> Result<(), Stopped> {
        let number = order.number();
        let line = |line: &super::source::Line| json!({ "variantId": ids.variants[&line.product], "quantity": line.ordered.to_string(), "unitCost": line.price.cost() });
        let body = json!({
            "number": number, "legalEntityId": ids.entity, "warehouseId": ids.warehouse, "currencyCode": "USD",
            "supplierId": ids.vendors[&order.vendor], "expectedOn": order.expected_on,
            "items": order.lines.iter().map(line).collect::<Vec<_>>(),
        });
        let made = self.post("purchases/orders", &number, &body)?.is(201).id();
        let path = format!("purchases/orders/{made}");
        self.post(&format!("{path}/approve"), &number, &json!({ "expectedVersion": 1 }))?.is(200);
        let read = self.shop.request("GET", &path).unchecked().send().is(200);
        let came = order.lines.iter().zip(read.items()).filter(|(line, _)| line.received > 0);
        let items: Vec<Json> = came
            .map(|(line, item)| json!({ "orderItemId": item["id"], "quantity": line.received.to_string() }))
            .collect();
        let body = json!({ "expectedVersion": 2, "reason": number, "items": items });
        self.post(&format!("{path}/receipts"), &number, &body)?.is(201);
        if order.is_given_up() {
            let body = json!({ "expectedVersion": 3, "reason": "Nothing more comes" });
            self.post(&format!("{path}/cancel"), &number, &body)?.is(200);
        }
        Ok(())
    }

    /// One write; `name` distinguishes it from others at the same path.
    fn post(&self, path: &str, name: &str, body: &Json) -> Result<Answer, Stopped> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        taken.map_err(|_| Stopped)?;
        let hash = Sha256::digest(format!("{}\n{path}\n{name}", self.shop.tenant));
        let bytes: [u8; 16] = hash[..16].try_into().expect("a hash is longer");
        let key = uuid::Builder::from_random_bytes(bytes).into_uuid().to_string();
        Ok(self.shop.request("POST", path).key(&key).json(body).unchecked().send())
    }
}
