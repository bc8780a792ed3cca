//! Records that the company already has and the file names: price lists, lookups by their codes, variants by their SKUs.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, Result, bail};
use serde_json::Value as Json;
use uuid::Uuid;

use crate::api::Api;
use crate::file::File;

/// SKUs that are asked for one by one; more are found by reading all variants.
const SINGLY: usize = 100;

pub struct Known {
    pub tenant: String,
    /// Price lists by code: id and currency.
    pub lists: HashMap<String, (String, String)>,
    /// Ids of active lookups by kind and code.
    pub lookups: HashMap<(&'static str, String), String>,
}

/// The company that is stated, or the only one of whoever the token is for.
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

pub fn text<'a>(body: &'a Json, member: &str) -> Option<&'a str> {
    body.get(member).and_then(Json::as_str)
}

impl Known {
    /// # Errors
    /// Where a price list is not there, or the service does not answer.
    pub async fn new(api: &Api, tenant: &str, file: &File) -> Result<Known> {
        let mut known = Known { tenant: tenant.to_owned(), lists: HashMap::new(), lookups: HashMap::new() };
        if !file.lists.is_empty() {
            for list in api.all(&known.path("pricing/price-lists")).await? {
                if let (Some(code), Some(id), Some(currency)) =
                    (text(&list, "code"), text(&list, "id"), text(&list, "currencyCode"))
                {
                    known.lists.insert(code.to_owned(), (id.to_owned(), currency.to_owned()));
                }
            }
        }
        let missing: Vec<&str> =
            file.lists.iter().filter(|code| !known.lists.contains_key(*code)).map(String::as_str).collect();
        if !missing.is_empty() {
            bail!("there is no active price list {}", missing.join(", "));
        }
        let kinds: BTreeSet<&str> =
            file.products.iter().flat_map(|product| &product.codes).map(|code| code.kind).collect();
        for kind in kinds {
            for lookup in api.all(&known.path(&format!("catalog/lookups/{kind}"))).await? {
                if let (Some(code), Some(id)) = (text(&lookup, "code"), text(&lookup, "id")) {
                    known.lookups.insert((kind, code.to_owned()), id.to_owned());
                }
            }
        }
        Ok(known)
    }

    /// A path below the company's.
    pub fn path(&self, path: &str) -> String {
        format!("tenants/{}/{path}", self.tenant)
    }

    /// Ids of active variants by their SKUs.
    ///
    /// # Errors
    /// Where the service does not answer.
    pub async fn variants(&self, api: &Api, skus: &BTreeSet<&str>) -> Result<HashMap<String, String>> {
        let path = self.path("catalog/variants");
        let mut found = Vec::new();
        if skus.len() > SINGLY {
            found = api.all(&path).await?;
        } else {
            for sku in skus {
                let page = api.get(&path, &[("sku", sku)]).await?;
                let items = page.get("items").and_then(Json::as_array).context("a page without items")?;
                found.extend(items.iter().cloned());
            }
        }
        let pair = |variant: &Json| Some((text(variant, "sku")?.to_owned(), text(variant, "id")?.to_owned()));
        Ok(found.iter().filter_map(pair).collect())
    }
}
