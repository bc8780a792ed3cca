//! The company that every measure works in, made through the public API: a catalog to read and price lists to write into.
//!
//! Writes never conflict: each goes to its own (list, variant, period), and every load writes into lists of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::capture::pgbench::Picks;
use crate::load::{Connection, NextRequest};

const PRODUCTS: usize = 64;
const VARIANTS_OF_EACH: usize = 2;
/// Price lists of one load. A load of n writes leaves n / (lists x variants) prices per list and variant.
const LISTS: usize = 8;

/// Units of one goods receipt: as many as one may bring.
const UNITS: usize = 100;

/// Midnight of the first day that has a price: 2030-01-01, in milliseconds since 1970.
const FIRST_DAY: i64 = 1_893_456_000_000;
const DAY: i64 = 86_400_000;

#[derive(Debug, Clone)]
pub struct Company {
    pub token: String,
    pub tenant: Uuid,
    pub products: Vec<Uuid>,
    pub variants: Vec<Uuid>,
}

/// One price to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub list: Uuid,
    pub variant: Uuid,
    /// Milliseconds since 1970.
    pub from: i64,
    pub to: i64,
}

/// The prices of one load, in an order that comes back to a list and variant as late as possible.
#[derive(Debug)]
pub struct Prices {
    pub lists: Vec<Uuid>,
    pub variants: Vec<Uuid>,
    next: AtomicU64,
}

/// Stock to adjust: one warehouse, and variants of one product.
#[derive(Debug)]
pub struct Goods {
    pub warehouse: Uuid,
    pub variants: Vec<Uuid>,
    next: AtomicU64,
}

/// The purchased goods: one serialized variant, from one supplier.
#[derive(Debug)]
pub struct Purchases {
    goods: Uuid,
    warehouse: Uuid,
    entity: Uuid,
    supplier: Uuid,
}

impl Goods {
    pub fn new(warehouse: Uuid, variants: Vec<Uuid>) -> Goods {
        Goods { warehouse, variants, next: AtomicU64::new(0) }
    }

    pub fn next(&self) -> Uuid {
        self.variants[self.next.fetch_add(1, Relaxed) as usize % self.variants.len()]
    }

    /// For a script that picks from them.
    pub fn picks(&self) -> Picks<'_> {
        Picks { variants: &self.variants, ..Picks::default() }
    }
}

impl Prices {
    pub fn at(&self, list: usize, variant: usize, period: i64) -> Price {
        let from = FIRST_DAY + period * DAY;
        Price { list: self.lists[list], variant: self.variants[variant], from, to: from + DAY }
    }

    /// For a script that picks from them.
    pub fn picks(&self) -> Picks<'_> {
        Picks { lists: &self.lists, variants: &self.variants, ..Picks::default() }
    }

    pub fn next(&self) -> Price {
        let number = self.next.fetch_add(1, Relaxed) as usize;
        let (lists, variants) = (self.lists.len(), self.variants.len());
        self.at(number / variants % lists, number % variants, (number / variants / lists) as i64)
    }
}

/// A client that speaks to one host as one person.
pub struct Client {
    connection: Connection,
    token: String,
}

impl Client {
    pub async fn new(address: SocketAddr, token: &str) -> anyhow::Result<Client> {
        Ok(Client { connection: Connection::open(address).await?, token: token.to_owned() })
    }

    /// A write that must succeed: its answer.
    pub async fn post(&mut self, path: &str, body: &Json) -> anyhow::Result<Json> {
        let mut request = Vec::new();
        write_request(&mut request, "POST", path, &self.token, Some(&body.to_string()));
        self.send(&request, path).await
    }

    /// A replacement that must succeed: its answer.
    pub async fn put(&mut self, path: &str, body: &Json) -> anyhow::Result<Json> {
        let mut request = Vec::new();
        write_request(&mut request, "PUT", path, &self.token, Some(&body.to_string()));
        self.send(&request, path).await
    }

    pub async fn get(&mut self, path: &str) -> anyhow::Result<Json> {
        let mut request = Vec::new();
        write_request(&mut request, "GET", path, &self.token, None);
        self.send(&request, path).await
    }

    async fn send(&mut self, request: &[u8], path: &str) -> anyhow::Result<Json> {
        let status = self.connection.exchange(request).await?;
        anyhow::ensure!((200..300).contains(&status), "{path} answered {status}: {}", self.connection.body());
        self.connection.json()
    }
}

/// A request as a lean client sends it; a write carries a fresh idempotency key.
pub fn write_request(into: &mut Vec<u8>, method: &str, path: &str, token: &str, body: Option<&str>) {
    use std::io::Write as _;
    // Writing to a Vec cannot fail.
    let _ = write!(into, "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n");
    match body {
        Some(body) => {
            let (key, length) = (Uuid::now_v7(), body.len());
            let _ = write!(
                into,
                "idempotency-key: {key}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            );
        }
        None => into.extend_from_slice(b"\r\n"),
    }
}

pub fn id(json: &Json) -> anyhow::Result<Uuid> {
    json.as_str().and_then(|text| text.parse().ok()).with_context(|| format!("no id: {json}"))
}

impl Company {
    /// Creates it on the host at this address.
    pub async fn create(address: SocketAddr, token: &str) -> anyhow::Result<Company> {
        Company::onboard(address, token, false).await
    }

    /// Creates one that keeps books.
    pub async fn create_with_books(address: SocketAddr, token: &str) -> anyhow::Result<Company> {
        Company::onboard(address, token, true).await
    }

    async fn onboard(address: SocketAddr, token: &str, keeps_books: bool) -> anyhow::Result<Company> {
        let mut client = Client::new(address, token).await?;
        let mut body = json!({ "name": "Benchmark", "currencyCode": "EUR", "withDefaults": true });
        if keeps_books {
            body["keepsBooks"] = true.into();
        }
        let made = client.post("/v1/onboarding/companies", &body).await?;
        let tenant = id(&made["tenantId"])?;
        let mut company = Company { token: token.to_owned(), tenant, products: Vec::new(), variants: Vec::new() };
        let unit = json!({ "name": "Piece", "code": "PIECE", "decimalPlaces": 0 });
        client.post(&company.path("catalog/lookups/units"), &unit).await?;
        for number in 0..PRODUCTS {
            let product = client.post(&company.path("catalog/products"), &product(number)).await?;
            company.products.push(id(&product["id"])?);
            for variant in product["variants"].as_array().context("no variants")? {
                company.variants.push(id(&variant["id"])?);
            }
        }
        Ok(company)
    }

    /// For a script that picks from the products.
    pub fn picks(&self) -> Picks<'_> {
        Picks { products: &self.products, ..Picks::default() }
    }

    pub fn path(&self, below: &str) -> String {
        format!("/v1/tenants/{}/{below}", self.tenant)
    }

    /// New price lists for one load.
    pub async fn prices(&self, address: SocketAddr) -> anyhow::Result<Arc<Prices>> {
        let mut client = Client::new(address, &self.token).await?;
        let mut lists = Vec::with_capacity(LISTS);
        for _ in 0..LISTS {
            let code = format!("L{}", Uuid::new_v4().simple());
            let code = code.get(..20).unwrap_or_default();
            let list = json!({ "code": code, "name": code, "currencyCode": "EUR", "visibility": "PUBLIC" });
            lists.push(id(&client.post(&self.path("pricing/price-lists"), &list).await?["id"])?);
        }
        Ok(Arc::new(Prices { lists, variants: self.variants.clone(), next: AtomicU64::new(0) }))
    }

    /// Tracked variants of a new product, and the company's warehouse.
    pub async fn goods(&self, address: SocketAddr, variants: usize) -> anyhow::Result<Arc<Goods>> {
        let mut client = Client::new(address, &self.token).await?;
        let warehouses = client.get(&self.path("inventory/warehouses?type=PHYSICAL&limit=1")).await?;
        let warehouse = id(&warehouses["items"][0]["id"])?;
        let name = format!("GOODS-{}", Uuid::new_v4().simple()).to_uppercase();
        let skus: Vec<Json> = (0..variants).map(|number| json!({ "sku": format!("{name}-{number}") })).collect();
        let product = json!({
            "name": name, "productType": "GOOD", "unitOfMeasure": "PIECE", "publicationStatus": "PUBLISHED",
            "trackInventory": true, "variants": skus,
        });
        let product = client.post(&self.path("catalog/products"), &product).await?;
        let variants = product["variants"].as_array().context("no variants")?;
        let variants = variants.iter().map(|variant| id(&variant["id"])).collect::<anyhow::Result<_>>()?;
        Ok(Arc::new(Goods::new(warehouse, variants)))
    }

    /// A new serialized variant, a supplier of it, and the company's warehouse.
    pub async fn purchases(&self, address: SocketAddr) -> anyhow::Result<Purchases> {
        let mut client = Client::new(address, &self.token).await?;
        let warehouses = client.get(&self.path("inventory/warehouses?type=PHYSICAL&limit=1")).await?;
        let place = &warehouses["items"][0];
        let name = format!("PHONE-{}", Uuid::new_v4().simple()).to_uppercase();
        let product = json!({
            "name": name, "productType": "GOOD", "unitOfMeasure": "PIECE", "publicationStatus": "PUBLISHED",
            "trackInventory": true, "trackSerials": true, "variants": [{ "sku": name, "condition": "NEW" }],
        });
        let product = client.post(&self.path("catalog/products"), &product).await?;
        let supplier = json!({ "code": name, "name": name });
        let supplier = client.post(&self.path("purchases/suppliers"), &supplier).await?;
        Ok(Purchases {
            goods: id(&product["variants"][0]["id"])?,
            warehouse: id(&place["id"])?,
            entity: id(&place["legalEntityId"])?,
            supplier: id(&supplier["id"])?,
        })
    }

    /// Orders a hundred units: path and body of their receipt.
    pub async fn place_order(&self, client: &mut Client, purchases: &Purchases) -> anyhow::Result<(String, Json)> {
        let body = json!({
            "legalEntityId": purchases.entity, "warehouseId": purchases.warehouse, "supplierId": purchases.supplier,
            "currencyCode": "EUR",
            "items": [{ "variantId": purchases.goods, "quantity": UNITS.to_string(), "unitCost": "499.95" }],
        });
        let order = id(&client.post(&self.path("purchases/orders"), &body).await?["id"])?;
        let path = self.path(&format!("purchases/orders/{order}"));
        client.post(&format!("{path}/approve"), &json!({ "expectedVersion": 1 })).await?;
        let read = client.get(&path).await?;
        let units: Vec<Json> =
            (0..UNITS).map(|_| json!({ "serialNumber": Uuid::new_v4().simple().to_string() })).collect();
        let line = json!({ "orderItemId": read["items"][0]["id"], "quantity": UNITS.to_string(), "units": units });
        Ok((format!("{path}/receipts"), json!({ "expectedVersion": 2, "reason": "benchmark", "items": [line] })))
    }

    /// Path and body of an adjustment: a piece comes in.
    pub fn adjustment_request(&self, goods: &Goods, variant: Uuid) -> (String, Json) {
        let body = json!({
            "movementType": "ADJUSTMENT_IN", "variantId": variant, "toWarehouseId": goods.warehouse, "quantity": "1",
            "unitCost": "12.5", "reason": "benchmark",
        });
        (self.path("inventory/adjustments"), body)
    }

    /// A load of adjustments.
    pub fn adjustments(&self, goods: Arc<Goods>) -> NextRequest {
        let company = self.clone();
        Arc::new(move |buffer| {
            let (path, body) = company.adjustment_request(&goods, goods.next());
            write_request(buffer, "POST", &path, &company.token, Some(&body.to_string()));
        })
    }

    /// Path and body of a price write.
    pub fn price_request(&self, price: &Price) -> (String, Json) {
        let body = json!({
            "variantId": price.variant, "currencyCode": "EUR", "amount": "129.95",
            "validFrom": stoa_sdk::Instant(price.from).to_string(), "validTo": stoa_sdk::Instant(price.to).to_string(),
        });
        (self.path(&format!("pricing/price-lists/{}/prices", price.list)), body)
    }

    /// A load of price writes.
    pub fn writes(&self, prices: Arc<Prices>) -> NextRequest {
        let company = self.clone();
        Arc::new(move |buffer| {
            let (path, body) = company.price_request(&prices.next());
            write_request(buffer, "POST", &path, &company.token, Some(&body.to_string()));
        })
    }

    pub fn product_path(&self, product: usize) -> String {
        self.path(&format!("catalog/products/{}", self.products[product % self.products.len()]))
    }

    /// A read by this company's user.
    pub fn get_request(&self, path: &str) -> Vec<u8> {
        let mut request = Vec::new();
        write_request(&mut request, "GET", path, &self.token, None);
        request
    }

    /// A load of reads of one product after the other.
    pub fn reads(&self) -> NextRequest {
        let (company, next) = (self.clone(), AtomicU64::new(0));
        Arc::new(move |buffer| {
            let number = next.fetch_add(1, Relaxed) as usize;
            write_request(buffer, "GET", &company.product_path(number), &company.token, None);
        })
    }
}

/// About as much as a shop says about a phone.
fn product(number: usize) -> Json {
    let variants: Vec<Json> = (0..VARIANTS_OF_EACH)
        .map(|variant| json!({ "sku": format!("SKU-{number}-{variant}"), "storage": "256 GB", "color": "Graphite" }))
        .collect();
    json!({
        "name": format!("Phone model {number}"),
        "productType": "GOOD",
        "unitOfMeasure": "PIECE",
        "publicationStatus": "PUBLISHED",
        "shortDescription": "A phone with a bright screen and a battery that lasts two days.",
        "description": "6.1 inch screen, 256 GB of storage, two cameras of 48 megapixels, dust and water resistant. ".repeat(4),
        "attributes": { "display": "6.1 in", "battery": "4000 mAh", "cameras": ["48 MP wide", "12 MP ultra wide"], "weight": "172 g" },
        "variants": variants,
    })
}
