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
/// Where the refusal is not a fault of the record.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::known::tests::{new_known, product};

    /// The SKUs that are added, the records that are replaced, and the faults of a plan for product 1.
    fn plan_changes(members: Json, skus: &[&str], may_clear: bool) -> (Vec<String>, Vec<String>, Vec<(u64, String)>) {
        let known = new_known(Side::Client);
        let record = &known.products["1"];
        let mut faults = Vec::new();
        let change = plan(&known, record, product(members, skus), may_clear, &mut faults);
        let added = change.added.into_iter().map(|variant| variant.sku).collect();
        let replaced = change.replaced.into_iter().map(|replacement| replacement.id).collect();
        (added, replaced, faults.into_iter().map(|fault| (fault.line, fault.code)).collect())
    }

    #[test]
    fn new_skus_are_added_and_differing_records_replaced_the_product_last() {
        let (added, replaced, faults) = plan_changes(json!({ "name": "other" }), &["A", "NEW"], true);
        assert_eq!(
            (added, replaced, faults),
            (vec!["NEW".to_owned()], vec!["a".to_owned(), "1".to_owned()], Vec::new())
        );
        let (added, replaced, faults) = plan_changes(json!({ "name": "one" }), &[], false);
        assert_eq!((added.len(), replaced.len(), faults.len()), (0, 0, 0));
    }

    #[test]
    fn a_record_that_is_not_read_whole_is_not_replaced() {
        let (added, replaced, faults) = plan_changes(json!({ "name": "other" }), &["NEW", "B"], false);
        let hidden = |line: u64| (line, "HIDDEN".to_owned());
        assert_eq!((added, replaced, faults), (vec!["NEW".to_owned()], Vec::new(), vec![hidden(3), hidden(2)]));
    }

    #[test]
    fn a_rejection_is_of_the_line_and_its_columns() {
        let problem = |status: u16, errors: Json| -> Problem {
            serde_json::from_value(json!({ "status": status, "code": "X", "errors": errors })).unwrap()
        };
        let item =
            json!({ "pointer": "/brandId", "code": "NOT_FOUND", "expected": { "maximum": 1 }, "conflictsWith": "id" });
        let found = faults(&problem(404, json!([item])), 7, Part::Product).unwrap();
        assert_eq!(
            (found[0].line, found[0].column.as_str(), found[0].conflicts_with.as_deref()),
            (7, "brand", Some("id"))
        );
        assert_eq!(faults(&problem(409, json!([])), 7, Part::Product).unwrap(), [Fault::new(7, "", "X")]);
        assert!(faults(&problem(403, json!([])), 7, Part::Product).is_err());
    }
}
