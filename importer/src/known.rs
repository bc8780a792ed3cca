//! Records that the company already has and the file names: price lists, warehouses, lookups, products, variants and prices.

use std::collections::{BTreeSet, HashMap, HashSet};

use anyhow::{Context, Result, bail};
use serde_json::Value as Json;
use uuid::Uuid;

use crate::api::{Answer, Api};
use crate::fault::Fault;
use crate::file::{File, Product};

/// Records that are read one by one; more are found by reading all of them.
const SINGLY: usize = 100;
/// Ids of one request.
const IDS: usize = 100;

/// The side of the API that the credential is for.
#[derive(Debug, Clone)]
pub enum Side {
    /// A user, in this company.
    User(String),
    /// An API client, in the company of its key.
    Client,
}

impl Side {
    pub fn path(&self, path: &str) -> String {
        match self {
            Side::User(tenant) => format!("tenants/{tenant}/{path}"),
            Side::Client => format!("api-client/{path}"),
        }
    }
}

pub struct Known {
    pub side: Side,
    /// Price lists by code: id and currency.
    pub lists: HashMap<String, (String, String)>,
    /// Warehouses by code: id and legal entity.
    pub warehouses: HashMap<String, (String, String)>,
    /// Ids of active lookups by kind and code.
    pub lookups: HashMap<(&'static str, String), String>,
    /// Active variants by SKU.
    pub variants: HashMap<String, Json>,
    /// Active products by id.
    pub products: HashMap<String, Json>,
    /// Ids of products by their slug, and by their name those without variants; the first part is the filter that finds them.
    named: HashMap<(&'static str, String), String>,
    /// Ids of variants and products that this run created.
    pub created: HashSet<String>,
    /// The parameters that an API client adds to a query of catalog records to find drafts too.
    drafts: &'static [(&'static str, &'static str)],
}

/// The company that is stated, or the only one of the token's user.
///
/// # Errors
/// Where there is none, or more than one.
pub async fn tenant(api: &Api, stated: Option<Uuid>) -> Result<String> {
    if let Some(stated) = stated {
        return Ok(stated.to_string());
    }
    let user = api.get("auth/me", &[]).await?;
    let memberships: Vec<&Json> = user.get("memberships").and_then(Json::as_array).into_iter().flatten().collect();
    let active = memberships.iter().filter(|membership| text(membership, "status") == Some("ACTIVE"));
    let tenants: Vec<&str> = active.filter_map(|membership| text(membership, "tenantId")).collect();
    match tenants.as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => bail!("the token's user is a member of no company"),
        several => bail!("the token's user is a member of {} companies: state one by --tenant", several.len()),
    }
}

/// The company of an API key.
///
/// # Errors
/// Where the service rejects the key, or another company is stated.
pub async fn tenant_of_key(api: &Api, stated: Option<Uuid>) -> Result<String> {
    let context = api.get("api-client/context", &[]).await?;
    let tenant = text(&context, "tenantId").context("a context without a company")?;
    match stated.filter(|stated| stated.to_string() != tenant) {
        Some(_) => bail!("the API key is of company {tenant}; leave out --tenant"),
        None => Ok(tenant.to_owned()),
    }
}

pub fn text<'a>(body: &'a Json, member: &str) -> Option<&'a str> {
    body.get(member).and_then(Json::as_str)
}

impl Known {
    fn empty(side: Side) -> Known {
        Known {
            side,
            lists: HashMap::new(),
            warehouses: HashMap::new(),
            lookups: HashMap::new(),
            variants: HashMap::new(),
            products: HashMap::new(),
            named: HashMap::new(),
            created: HashSet::new(),
            drafts: &[],
        }
    }

    /// Adds products that were read.
    pub fn add_products(&mut self, found: Vec<Json>) {
        for product in found {
            let Some(id) = text(&product, "id").map(str::to_owned) else { continue };
            let slug = text(&product, "slug").map(|slug| ("slug", slug.to_owned()));
            let is_bare = product.get("variantCount").and_then(Json::as_u64) == Some(0);
            let name = text(&product, "name").filter(|_| is_bare).map(|name| ("text", name.to_owned()));
            for key in slug.into_iter().chain(name) {
                // The oldest of several.
                let first = self.named.entry(key).or_insert_with(|| id.clone());
                if *first > id {
                    first.clone_from(&id);
                }
            }
            self.products.insert(id, product);
        }
    }

    /// # Errors
    /// Where a price list or warehouse is not there, or the service does not respond.
    pub async fn new(api: &Api, side: Side, file: &File) -> Result<Known> {
        let mut known = Known::empty(side);
        if matches!(known.side, Side::Client) {
            known.drafts = find_drafts(api).await?;
        }
        known.read_lists(api, file).await?;
        known.read_warehouses(api, file).await?;
        let kinds: BTreeSet<&str> =
            file.products.iter().flat_map(|product| &product.codes).map(|code| code.kind).collect();
        for kind in kinds {
            for lookup in api.all(&known.side.path(&format!("catalog/lookups/{kind}")), &[]).await? {
                if let (Some(code), Some(id)) = (text(&lookup, "code"), text(&lookup, "id")) {
                    known.lookups.insert((kind, code.to_owned()), id.to_owned());
                }
            }
        }
        known.read_variants(api, file).await?;
        known.read_products(api, file).await?;
        Ok(known)
    }

    async fn read_lists(&mut self, api: &Api, file: &File) -> Result<()> {
        if file.lists.is_empty() {
            return Ok(());
        }
        for list in api.all(&self.side.path("pricing/price-lists"), &[]).await? {
            if let (Some(code), Some(id), Some(currency)) =
                (text(&list, "code"), text(&list, "id"), text(&list, "currencyCode"))
            {
                self.lists.insert(code.to_owned(), (id.to_owned(), currency.to_owned()));
            }
        }
        let missing = list_missing(&file.lists, &self.lists);
        match (missing.is_empty(), &self.side) {
            (true, _) => Ok(()),
            (_, Side::User(_)) => bail!("there is no active price list {missing}"),
            (_, Side::Client) => bail!("there is no active PUBLIC price list {missing}; an API key finds no other"),
        }
    }

    async fn read_warehouses(&mut self, api: &Api, file: &File) -> Result<()> {
        if file.warehouses.is_empty() {
            return Ok(());
        }
        if matches!(self.side, Side::Client) {
            bail!("an API key cannot count stock: use a user's token, or leave out the columns of stock");
        }
        for warehouse in api.all(&self.side.path("inventory/warehouses"), &[]).await? {
            if let (Some(code), Some(id), Some(entity)) =
                (text(&warehouse, "code"), text(&warehouse, "id"), text(&warehouse, "legalEntityId"))
            {
                self.warehouses.insert(code.to_owned(), (id.to_owned(), entity.to_owned()));
            }
        }
        let missing = list_missing(&file.warehouses, &self.warehouses);
        if !missing.is_empty() {
            bail!("there is no active warehouse {missing}");
        }
        Ok(())
    }

    /// Reads active variants of the file's SKUs.
    async fn read_variants(&mut self, api: &Api, file: &File) -> Result<()> {
        let of_products = file.products.iter().flat_map(|product| &product.variants).map(|variant| &variant.sku);
        let others = file.prices.iter().map(|price| &price.sku).chain(file.media.iter().map(|media| &media.sku));
        let others = others.chain(file.stock.iter().map(|stock| &stock.sku));
        let skus: BTreeSet<&str> = of_products.chain(others).map(String::as_str).collect();
        let path = self.side.path("catalog/variants");
        let mut found = Vec::new();
        if skus.len() > SINGLY {
            found = api.all(&path, self.drafts).await?;
            found.retain(|variant| text(variant, "sku").is_some_and(|sku| skus.contains(sku)));
        } else {
            for sku in skus {
                found.extend(self.find(api, &path, ("sku", sku)).await?);
            }
        }
        self.variants
            .extend(found.into_iter().filter_map(|variant| Some((text(&variant, "sku")?.to_owned(), variant))));
        Ok(())
    }

    /// Records of a list with this text; none for a text that the service rejects.
    async fn find(&self, api: &Api, path: &str, filter: (&str, &str)) -> Result<Vec<Json>> {
        match api.list(path, &[&[filter], self.drafts].concat()).await? {
            Ok(found) => Ok(found),
            // The row is reported when it is sent.
            Err(problem) if problem.code == "VALIDATION_FAILED" => Ok(Vec::new()),
            Err(problem) => bail!("GET {path}: {}", problem.describe()),
        }
    }

    /// Reads the products of the file: those of its variants, and by slug or name those of rows whose SKU is new or absent.
    async fn read_products(&mut self, api: &Api, file: &File) -> Result<()> {
        let path = self.side.path("catalog/products");
        let of_variants = file.products.iter().flat_map(|product| &product.variants);
        let ids = of_variants.filter_map(|variant| text(self.variants.get(&variant.sku)?, "productId"));
        let ids: BTreeSet<&str> = ids.collect();
        let ids: Vec<&str> = ids.into_iter().collect();
        let mut found = Vec::new();
        for ids in ids.chunks(IDS) {
            let ids = ids.join(",");
            found.extend(api.all(&path, &[&[("ids", ids.as_str())], self.drafts].concat()).await?);
        }
        let is_known =
            |product: &Product| product.variants.iter().any(|variant| self.variants.contains_key(&variant.sku));
        let unknown = file.products.iter().filter(|product| !is_known(product));
        let filters: Vec<(&str, &str)> = unknown.filter_map(find_by).collect();
        if filters.len() > SINGLY {
            found.extend(api.all(&path, self.drafts).await?);
        } else {
            for filter in filters {
                found.extend(self.find(api, &path, filter).await?);
            }
        }
        self.add_products(found);
        Ok(())
    }

    /// The product that rows of the file are: the one with a variant of one of their SKUs, or with their slug. Rows without a
    /// SKU are the product without variants that has their name.
    ///
    /// # Errors
    /// Where the SKUs are of several products, or the product cannot be read.
    pub fn product_of(&self, product: &Product) -> Result<Option<&Json>, Fault> {
        let mut id: Option<&str> = None;
        for variant in &product.variants {
            let Some(owner) = self.variants.get(&variant.sku).and_then(|known| text(known, "productId")) else {
                continue;
            };
            if id.is_some_and(|id| id != owner) {
                return Err(Fault::new(variant.line, "sku", "OTHER_PRODUCT"));
            }
            id = Some(owner);
        }
        if let Some(id) = id {
            return self.products.get(id).map(Some).ok_or_else(|| Fault::new(product.line(), "", "NOT_FOUND"));
        }
        let Some((by, value)) = find_by(product) else { return Ok(None) };
        Ok(self.named.get(&(by, value.to_owned())).and_then(|id| self.products.get(id)))
    }

    pub fn variant_id(&self, sku: &str) -> Option<&str> {
        text(self.variants.get(sku)?, "id")
    }

    pub fn product_id(&self, sku: &str) -> Option<&str> {
        text(self.variants.get(sku)?, "productId")
    }

    /// Adds a variant that this run created.
    pub fn add_variant(&mut self, sku: &str, id: &str, product: &str) {
        self.created.insert(id.to_owned());
        let variant = serde_json::json!({ "id": id, "sku": sku, "productId": product });
        self.variants.insert(sku.to_owned(), variant);
    }

    /// Returns whether an API client can read the prices and media of the variant's product.
    pub fn is_visible(&self, sku: &str) -> bool {
        let product = self.product_id(sku).and_then(|id| self.products.get(id));
        matches!(self.side, Side::User(_))
            || product.is_none_or(|product| text(product, "publicationStatus") != Some("DRAFT"))
    }

    /// The code of a lookup's id, as people know it.
    pub fn code_of(&self, id: &str) -> Option<&str> {
        self.lookups.iter().find(|(_, known)| known.as_str() == id).map(|((_, code), _)| code.as_str())
    }

    /// Records of these variants in a list, by variant.
    ///
    /// # Errors
    /// Where the service does not respond.
    pub async fn read_by_variant(
        &self,
        api: &Api,
        path: &str,
        variants: &BTreeSet<&str>,
        filters: &[(&str, &str)],
    ) -> Result<HashMap<String, Json>> {
        let path = self.side.path(path);
        let mut found = HashMap::new();
        for ids in variants.iter().copied().collect::<Vec<_>>().chunks(IDS) {
            let ids = ids.join(",");
            let mut query = vec![("variantIds", ids.as_str())];
            query.extend_from_slice(filters);
            let records = match api.list(&path, &query).await? {
                Ok(records) => records,
                // An instant of the file that is invalid: the row is reported when it is sent.
                Err(problem) if problem.code == "VALIDATION_FAILED" => continue,
                Err(problem) => bail!("GET {path}: {}", problem.describe()),
            };
            found.extend(
                records.into_iter().filter_map(|record| Some((text(&record, "variantId")?.to_owned(), record))),
            );
        }
        Ok(found)
    }
}

/// The filter that finds a product whose SKUs are new or absent: the slug, or the name of a product without variants.
fn find_by(product: &Product) -> Option<(&'static str, &str)> {
    let stated = |member: &str| product.body.get(member).and_then(Json::as_str);
    match (stated("slug"), product.variants.is_empty()) {
        (Some(slug), _) => Some(("slug", slug)),
        (None, true) => Some(("text", stated("name")?)),
        (None, false) => None,
    }
}

fn list_missing<T>(stated: &[String], known: &HashMap<String, T>) -> String {
    let missing: Vec<&str> = stated.iter().filter(|code| !known.contains_key(*code)).map(String::as_str).collect();
    missing.join(", ")
}

/// The filter of drafts, where the service has it and the key may read them.
async fn find_drafts(api: &Api) -> Result<&'static [(&'static str, &'static str)]> {
    const DRAFTS: &[(&str, &str)] = &[("drafts", "true")];
    let query = [&[("limit", "1")], DRAFTS].concat();
    match api.read(&Side::Client.path("catalog/variants"), &query).await? {
        Answer::Done(_) => Ok(DRAFTS),
        Answer::Refused(problem) if matches!(problem.status, 400 | 403) => Ok(&[]),
        Answer::Refused(problem) => bail!("GET catalog/variants: {}", problem.describe()),
    }
}

#[cfg(test)]
pub mod tests {
    use serde_json::json;

    use super::*;
    use crate::file::Variant;

    /// Product 1 with the variants A and B, product 2 with C, and two products without variants.
    pub fn new_known(side: Side) -> Known {
        let mut known = Known::empty(side);
        let product = |id: &str, name: &str, variants: u64| json!({ "id": id, "name": name, "slug": name, "variantCount": variants });
        known.add_products(vec![
            product("1", "one", 2),
            product("2", "two", 1),
            product("4", "bare", 0),
            product("3", "bare", 0),
        ]);
        for (sku, id, product) in [("A", "a", "1"), ("B", "b", "1"), ("C", "c", "2")] {
            let variant = json!({ "id": id, "sku": sku, "productId": product, "color": "red", "attributes": {} });
            known.variants.insert(sku.to_owned(), variant);
        }
        known
    }

    /// A product of the file with these members and SKUs, on lines from 2 on.
    pub fn product(members: Json, skus: &[&str]) -> Product {
        let body = members.as_object().cloned().unwrap_or_default();
        let variant = |(line, sku): (u64, &&str)| {
            let body = json!({ "sku": sku, "color": "blue" }).as_object().cloned().unwrap_or_default();
            Variant { line, sku: (*sku).to_owned(), body }
        };
        let variants: Vec<Variant> = (2..).zip(skus).map(variant).collect();
        let rows = if variants.is_empty() { vec![2] } else { variants.iter().map(|variant| variant.line).collect() };
        Product { rows, body, codes: Vec::new(), variants }
    }

    #[test]
    fn a_product_is_found_by_a_sku_else_its_slug_else_its_name() {
        let known = new_known(Side::Client);
        let found = |members: Json, skus: &[&str]| {
            let found = known.product_of(&product(members, skus));
            found
                .map(|found| found.and_then(|found| text(found, "id")).map(str::to_owned))
                .map_err(|fault| (fault.line, fault.code))
        };
        let id = |id: &str| Ok(Some(id.to_owned()));
        assert_eq!(found(json!({ "name": "other" }), &["NEW", "B"]), id("1"));
        assert_eq!(found(json!({ "slug": "two" }), &["A"]), id("1"), "the SKU is first");
        assert_eq!(found(json!({}), &["A", "C"]), Err((3, "OTHER_PRODUCT".to_owned())));
        assert_eq!(found(json!({ "slug": "two" }), &["NEW"]), id("2"));
        assert_eq!(found(json!({ "name": "bare" }), &[]), id("3"), "the oldest");
        for (members, skus) in
            [(json!({ "name": "bare" }), &["NEW"][..]), (json!({ "name": "one" }), &[]), (json!({ "slug": "x" }), &[])]
        {
            assert_eq!(found(members, skus), Ok(None));
        }
    }
}
