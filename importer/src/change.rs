//! Changes of a product that exists: variants that the file adds, records that it states otherwise. The service has no batch
//! for them, so several products are changed at a time.

use std::sync::Arc;

use anyhow::{Result, bail};
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::api::{Answer, Api, Problem, ProblemItem};
use crate::columns::{self, Part};
use crate::compare::{Difference, clears_members, find_differences, replacement};
use crate::fault::Fault;
use crate::file::{Product, Variant};
use crate::known::{Known, Side, text};

/// How often a record is read again because another client changes it at the same time.
const READS: u32 = 3;

/// A record to replace.
pub struct Replacement {
    pub id: String,
    pub line: u64,
    /// The name of the record for people.
    pub label: String,
    stated: Map<String, Json>,
    part: Part,
    pub differences: Vec<Difference>,
}

/// Everything that one product needs.
pub struct Change {
    pub product: String,
    pub rows: Vec<u64>,
    pub added: Vec<Variant>,
    pub replaced: Vec<Replacement>,
}

/// The end of a change.
#[derive(Default)]
pub struct Changed {
    pub product: String,
    pub rows: Vec<u64>,
    /// Lines of the records that were written.
    pub written: Vec<u64>,
    /// SKU and id of the variants that were added.
    pub added: Vec<(String, String)>,
    pub replaced: usize,
    /// The publication status that the product has now, if the file states it.
    pub publication: Option<Json>,
    pub faults: Vec<Fault>,
    /// Lines of variants that do not exist.
    pub left_out: Vec<u64>,
}

/// The change that makes an existing product what the file states. Faults of records that cannot be changed are added.
pub fn plan(known: &Known, record: &Json, product: Product, may_clear: bool, faults: &mut Vec<Fault>) -> Change {
    let id = text(record, "id").unwrap_or_default().to_owned();
    let line = product.line();
    let label = product.variants.first().map(|variant| variant.sku.as_str()).or(text(record, "slug"));
    let label = label.unwrap_or_default().to_owned();
    let mut change = Change { product: id.clone(), rows: product.rows, added: Vec::new(), replaced: Vec::new() };
    let mut replace = |record: &Json, id: String, line: u64, label: String, stated: Map<String, Json>, part: Part| {
        let differences = find_differences(record, &stated, part);
        if differences.is_empty() {
            return;
        }
        if clears_members(record, &stated, part) && !may_clear {
            let column = differences.first().map(|difference| difference.column.clone()).unwrap_or_default();
            faults.push(Fault::new(line, column, "HIDDEN"));
            return;
        }
        change.replaced.push(Replacement { id, line, label, stated, part, differences });
    };
    for variant in product.variants {
        match known.variants.get(&variant.sku) {
            Some(record) => {
                let id = text(record, "id").unwrap_or_default().to_owned();
                replace(record, id, variant.line, variant.sku, variant.body, Part::Variant);
            }
            None => change.added.push(variant),
        }
    }
    // After its variants: it may be published only with one.
    replace(record, id, line, label, product.body, Part::Product);
    change
}

impl Change {
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.replaced.is_empty()
    }

    /// # Errors
    /// Where it is not known how a write ended, or the caller may not write.
    pub async fn send(self, api: Arc<Api>, side: Side) -> Result<Changed> {
        let mut changed = Changed { product: self.product.clone(), rows: self.rows, ..Changed::default() };
        let path = side.path(&format!("catalog/products/{}/variants", self.product));
        for Variant { line, sku, body } in self.added {
            match api.post(&path, Uuid::new_v4(), &Json::Object(body)).await? {
                Answer::Done(answer) => {
                    changed.written.push(line);
                    changed.added.push((sku, text(&answer.json, "id").unwrap_or_default().to_owned()));
                }
                Answer::Refused(problem) => {
                    changed.faults.extend(faults(&problem, line, Part::Variant)?);
                    changed.left_out.push(line);
                }
            }
        }
        let grows = !changed.added.is_empty();
        for replacement in self.replaced {
            match replacement.send(&api, &side, grows).await? {
                None => {
                    changed.written.push(replacement.line);
                    changed.replaced += 1;
                    changed.publication = replacement.stated.get("publicationStatus").cloned();
                }
                Some(problem) => changed.faults.extend(faults(&problem, replacement.line, replacement.part)?),
            }
        }
        Ok(changed)
    }
}

impl Replacement {
    /// Reads the record and replaces it as it was read, so that no other client's change is lost. Returns the refusal.
    async fn send(&self, api: &Api, side: &Side, grows: bool) -> Result<Option<Problem>> {
        let kind = if self.part == Part::Product { "products" } else { "variants" };
        let path = side.path(&format!("catalog/{kind}/{}", self.id));
        let mut refusal = None;
        for _ in 0..READS {
            let record = match api.read(&path, &[]).await? {
                Answer::Done(record) => record,
                Answer::Refused(problem) => return Ok(Some(problem)),
            };
            let body = replacement(&record.json, &self.stated, self.part, grows);
            match api.put(&path, record.etag.as_deref(), &body).await? {
                Answer::Done(_) => return Ok(None),
                Answer::Refused(problem) if problem.status == 412 => refusal = Some(problem),
                Answer::Refused(problem) => return Ok(Some(problem)),
            }
        }
        Ok(refusal)
    }
}

/// The faults of one record's refusal.
///
/// # Errors
/// Where the refusal is no fault of the record.
pub fn faults(problem: &Problem, line: u64, part: Part) -> Result<Vec<Fault>> {
    if !matches!(problem.status, 400 | 404 | 409 | 412) {
        bail!("{}", problem.describe());
    }
    let fault = |item: &ProblemItem| {
        let member = item.pointer.split('/').nth(1).unwrap_or_default();
        Fault::new(line, columns::of_member(member, part), item.code.clone()).with_details(item)
    };
    match problem.errors.is_empty() {
        true => Ok(vec![Fault::new(line, "", problem.code.clone())]),
        false => Ok(problem.errors.iter().map(fault).collect()),
    }
}
