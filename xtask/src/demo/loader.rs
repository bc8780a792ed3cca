//! Sends the demo company's catalogue and the trade that follows it. Every write has a key made of the company and of
//! what it writes: a loader that was stopped half-way runs again from its first step, and what is there already is
//! answered, not made twice.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use super::facts::{self, Catalogue, Cents, Product, Variant};
use super::orders::Shop;
use super::progress::Progress;
use super::{first_month, orders, parties, purchases, returns, till};
use crate::api::{Api, items, text};

pub const COMPANY: &str = "Stoa Demo Phones";
/// Code of the price list that everybody may see.
pub const RETAIL: &str = "RETAIL";
const TRADE: &str = "TRADE";
const UNIT: &str = "UNIT";
/// The currency of the books, and of everything that is bought and sold.
pub const CURRENCY: &str = "USD";
/// Prices of one call: the operation takes no more.
const BATCH: usize = 500;

/// Creates the demo company and answers its id. It is made without defaults: onboarding has books begin today, and no
/// month of them could be closed.
pub async fn onboard(api: &Api) -> Result<String> {
    let body = json!({ "name": COMPANY, "countryCode": "US", "currencyCode": CURRENCY, "withDefaults": false });
    let answer = api.post("/v1/onboarding/companies", Uuid::new_v4(), &body).await?;
    text(&answer, "tenantId")
}

/// Loads everything into the company, or what an earlier run left out.
pub async fn resume(api: &Api, tenant: &str) -> Result<()> {
    let catalogue = facts::catalogue()?;
    let (suppliers, customers) = (parties::suppliers()?, parties::customers()?);
    let month = first_month::first_month()?;
    let bought = purchases::purchases(&catalogue)?;
    let (orders, returns) = (orders::orders()?, returns::returns()?);
    let days = till::till_days(&catalogue)?;
    let variants: usize = catalogue.products.iter().map(|product| product.variants.len()).sum();
    let lookups = catalogue.manufacturers.len() + catalogue.brands.len() + catalogue.categories.len() + 1;
    let goods = lookups + catalogue.products.len() + 2 * (1 + variants.div_ceil(BATCH));
    let trade = bought.steps() + orders.steps() + returns.len() * Loader::RETURN_STEPS + days.steps();
    let total = Loader::PREMISES_STEPS + suppliers.len() + customers.len() + month.steps() + goods + trade;
    let mut loader = Loader { api, tenant, progress: Progress::new(total as u64) };
    let premises = loader.premises().await?;
    let parties = loader.parties(&suppliers, &customers).await?;
    loader.first_month(&month, &premises, &parties).await?;
    let ids = loader.lookups(&catalogue).await?;
    let priced = loader.products(&catalogue, &ids).await?;
    let retail: Vec<Price> = priced.iter().map(|(id, amount)| (id.as_str(), *amount)).collect();
    let trade: Vec<Price> = retail.iter().map(|(id, amount)| (*id, amount.trade())).collect();
    let list = loader.price_list(RETAIL, "Retail", "PUBLIC", CURRENCY, &retail).await?;
    loader.price_list(TRADE, "Trade customers", "INTERNAL", "EUR", &trade).await?;
    let skus = catalogue.products.iter().flat_map(|product| &product.variants).map(|variant| variant.sku.as_str());
    let ids: Vec<&str> = retail.iter().map(|(id, _)| *id).collect();
    let by_sku: HashMap<&str, &str> = skus.zip(ids.iter().copied()).collect();
    loader.purchases(&bought, &premises, &parties, &by_sku).await?;
    let shop = Shop { premises: &premises, parties: &parties, price_list: &list };
    let mut stock = loader.stock(&by_sku).await?;
    loader.quotation(&shop, &ids).await?;
    let billed = loader.orders(&orders, &shop, &mut stock).await?;
    loader.returns(&returns, &billed).await?;
    loader.till_days(&days, &shop, &mut stock).await?;
    loader.progress.finish();
    Ok(())
}

/// A variant's id and what it costs.
type Price<'a> = (&'a str, Cents);

/// Ids of lookups by kind and code.
type Ids = HashMap<(&'static str, &'static str), String>;

/// Sends what is loaded, step by step.
pub struct Loader<'a> {
    pub api: &'a Api,
    tenant: &'a str,
    progress: Progress,
}

impl Loader<'_> {
    async fn lookups(&mut self, catalogue: &Catalogue) -> Result<Ids> {
        let mut ids = Ids::new();
        self.unit().await?;
        for maker in &catalogue.manufacturers {
            let body = json!({ "code": maker.code, "name": maker.name });
            ids.insert(("manufacturers", maker.code), self.lookup("manufacturers", maker.code, body).await?);
        }
        for brand in &catalogue.brands {
            let body = json!({ "code": brand.named.code, "name": brand.named.name });
            ids.insert(("brands", brand.named.code), self.lookup("brands", brand.named.code, body).await?);
        }
        for category in &catalogue.categories {
            let code = category.named.code;
            let parent = category.parent.map(|parent| ids.get(&("categories", parent))).map(|id| json!(id));
            let body = json!({ "code": code, "name": category.named.name, "parentId": parent });
            let id = self.lookup("categories", code, body).await?;
            ids.insert(("categories", code), id);
        }
        Ok(ids)
    }

    /// Onboarding makes the unit, unless the company was made without defaults.
    async fn unit(&mut self) -> Result<()> {
        let units = self.api.get(&self.path("catalog/lookups/units?limit=100")).await?;
        if !items(&units).any(|unit| unit.get("code").is_some_and(|code| code == UNIT)) {
            let body = json!({ "code": UNIT, "name": "Unit", "decimalPlaces": 0 });
            self.lookup("units", UNIT, body).await?;
        } else {
            self.progress.step();
        }
        Ok(())
    }

    async fn lookup(&mut self, kind: &str, code: &str, body: Json) -> Result<String> {
        let answer = self.create(&format!("catalog/lookups/{kind}"), code, &body).await?;
        text(&answer, "id")
    }

    /// Creates the products with their variants; answers the variants' ids with their retail prices.
    async fn products(&mut self, catalogue: &Catalogue, ids: &Ids) -> Result<Vec<(String, Cents)>> {
        let mut priced = Vec::new();
        for product in &catalogue.products {
            let first = product.variants.first().context("a demo product without variants")?;
            let answer = self.create("catalog/products", &first.sku, &body(product, catalogue, ids)).await?;
            let made = answer.get("variants").and_then(Json::as_array).context("a product without its variants")?;
            for (variant, record) in product.variants.iter().zip(made) {
                priced.push((text(record, "id")?, variant.retail));
            }
        }
        Ok(priced)
    }

    /// Creates a list with its prices; answers the list's id.
    async fn price_list(
        &mut self,
        code: &str,
        name: &str,
        visibility: &str,
        currency: &str,
        prices: &[Price<'_>],
    ) -> Result<String> {
        let body = json!({ "code": code, "name": name, "currencyCode": currency, "visibility": visibility });
        let list = text(&self.create("pricing/price-lists", code, &body).await?, "id")?;
        for (index, batch) in prices.chunks(BATCH).enumerate() {
            let price = |(variant, amount): &Price<'_>| json!({ "variantId": variant, "currencyCode": currency, "amount": amount.to_string() });
            let body = json!({ "prices": batch.iter().map(price).collect::<Vec<_>>() });
            self.create(&format!("pricing/price-lists/{list}/prices/batch"), &format!("batch {index}"), &body).await?;
        }
        Ok(list)
    }

    /// One write; `name` distinguishes it from others at the same path.
    pub async fn create(&mut self, path: &str, name: &str, body: &Json) -> Result<Json> {
        let path = self.path(path);
        let hash = Sha256::digest(format!("{path}\n{name}"));
        let key = hash.first_chunk::<16>().map(|bytes| Builder::from_random_bytes(*bytes).into_uuid());
        let answer = self.api.post(&path, key.context("a hash is longer")?, body).await?;
        self.progress.step();
        Ok(answer)
    }

    /// A path of the company.
    pub fn path(&self, path: &str) -> String {
        format!("/v1/tenants/{}/{path}", self.tenant)
    }
}

fn body(product: &Product, catalogue: &Catalogue, ids: &Ids) -> Json {
    let brand = catalogue.brands.iter().find(|brand| brand.named.code == product.brand);
    let category = catalogue.categories.iter().find(|category| category.named.code == product.category);
    json!({
        "name": product.name,
        "productType": "GOOD",
        "unitOfMeasure": UNIT,
        "trackInventory": true,
        "trackSerials": category.is_some_and(|category| category.serials),
        "publicationStatus": "PUBLISHED",
        "brandId": ids.get(&("brands", product.brand)),
        "manufacturerId": brand.and_then(|brand| ids.get(&("manufacturers", brand.manufacturer))),
        "categoryId": ids.get(&("categories", product.category)),
        "attributes": { "launched": product.launched },
        "variants": product.variants.iter().map(variant).collect::<Vec<_>>(),
    })
}

fn variant(variant: &Variant) -> Json {
    json!({
        "sku": variant.sku,
        "modelNumber": variant.model_number,
        "storage": variant.storage,
        "color": variant.color,
        "condition": variant.condition,
        "grade": variant.grade,
        "simType": variant.sim_type,
        "attributes": variant.size.map_or_else(|| json!({}), |size| json!({ "size": size })),
    })
}
