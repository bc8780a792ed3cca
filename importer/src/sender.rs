//! Sending what a file holds, batch by batch: products with their variants first, then prices list by list.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};

use crate::Args;
use crate::api::{Answer, Api, Problem};
use crate::batch::{self, Item, Place};
use crate::fault::Fault;
use crate::file::{File, Price, Product};
use crate::known::{Known, text};
use crate::progress::Progress;
use crate::report::{Report, Underway};

pub struct Sender<'a> {
    pub api: &'a Api,
    pub known: &'a Known,
    pub report: Report,
    pub progress: Progress,
    pub faults: Vec<Fault>,
    /// Lines of products that were not made: their prices have nothing to stand on.
    pub left_out: HashSet<u64>,
    pub counts: Counts,
}

/// Numbers of records that this run made, and that an earlier one had made.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
pub struct Counts {
    pub products: usize,
    pub prices: usize,
    pub before: usize,
}

impl Sender<'_> {
    /// # Errors
    /// Where the run cannot go on; what was sent is in the report.
    pub async fn products(&mut self, products: Vec<Product>) -> Result<()> {
        let items = products.into_iter().filter_map(|product| self.product(product)).collect();
        let path = self.known.path("catalog/imports");
        self.send("products", &path, items, false).await
    }

    /// The product as it is sent; none where a line is bad.
    fn product(&mut self, product: Product) -> Option<Item> {
        let Product { rows, mut body, codes, variants } = product;
        let known = self.faults.len();
        for code in codes {
            match self.known.lookups.get(&(code.kind, code.code)) {
                Some(id) => _ = body.insert(code.member.to_owned(), json!(id)),
                None => self.faults.push(Fault::new(code.line, code.column, "NOT_FOUND")),
            }
        }
        if self.faults.len() > known {
            self.left_out.extend(rows);
            return None;
        }
        let line = rows.first().copied().unwrap_or_default();
        let item = Item::new(Place::Product, "products", Json::Object(body), line, variants, "");
        let was_made = item.parts.iter().find(|(_, sku)| self.report.variants.contains_key(sku));
        match was_made.filter(|_| !self.report.done.contains(&item.digest)) {
            // Its prices go on.
            Some((line, _)) => self.faults.push(Fault::new(*line, "", "CHANGED")),
            None => return Some(item),
        }
        None
    }

    /// # Errors
    /// Where the run cannot go on; what was sent is in the report.
    pub async fn prices(&mut self, file: &File, args: &Args) -> Result<()> {
        let prices: Vec<&Price> = file.prices.iter().filter(|price| !self.left_out.contains(&price.line)).collect();
        let unknown =
            prices.iter().map(|price| price.sku.as_str()).filter(|sku| !self.report.variants.contains_key(*sku));
        let mut variants: HashMap<String, String> = HashMap::new();
        let unknown: BTreeSet<&str> = unknown.collect();
        if !unknown.is_empty() {
            variants = self.known.variants(self.api, &unknown).await?;
        }
        variants.extend(self.report.variants.iter().map(|(sku, id)| (sku.clone(), id.clone())));
        for code in &file.lists {
            let Some((list, currency)) = self.known.lists.get(code) else { continue };
            let to = format!("prices:{code}");
            let column = format!("price:{code}");
            let mut items = Vec::new();
            for price in prices.iter().filter(|price| price.list == *code) {
                let Some(variant) = variants.get(&price.sku) else {
                    self.faults.push(Fault::new(price.line, "sku", "NOT_FOUND"));
                    continue;
                };
                let mut body = json!({ "variantId": variant, "currencyCode": currency, "amount": price.amount });
                let from = price.valid_from.as_ref().or(args.valid_from.as_ref());
                for (member, bound) in [("validFrom", from), ("validTo", price.valid_to.as_ref())] {
                    if let (Some(bound), Some(body)) = (bound, body.as_object_mut()) {
                        body.insert(member.to_owned(), json!(bound));
                    }
                }
                let to = format!("{to}\n{}", args.replace);
                items.push(Item::new(Place::Price, &to, body, price.line, Vec::new(), &column));
            }
            let path = self.known.path(&format!("pricing/price-lists/{list}/prices/batch"));
            self.send(&to, &path, items, args.replace).await?;
        }
        Ok(())
    }

    /// Sends what is not done: batches without an answer as they were, then the rest.
    async fn send(&mut self, to: &str, path: &str, items: Vec<Item>, replace: bool) -> Result<()> {
        self.progress.of(to);
        let (done, mut items): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|item| self.report.done.contains(&item.digest));
        self.counts.before += done.len();
        self.progress.advance(done.iter().map(Item::lines).sum());
        for (underway, batch) in self.report.take_unanswered(to, &mut items) {
            self.batch(to, path, underway, batch, replace).await?;
        }
        for batch in batch::batches(items) {
            let underway = self.report.record_sending(to, &batch)?;
            self.batch(to, path, underway, batch, replace).await?;
        }
        Ok(())
    }

    fn count(&mut self, batch: &[Item]) {
        match batch.first().map(|item| item.place) {
            Some(Place::Price) => self.counts.prices += batch.len(),
            _ => self.counts.products += batch.len(),
        }
    }

    /// Sends a batch, and after a refusal what is left of it without the bad lines, until nothing is.
    async fn batch(&mut self, to: &str, path: &str, underway: Underway, batch: Vec<Item>, replace: bool) -> Result<()> {
        let (mut underway, mut batch) = (underway, batch);
        loop {
            let problem = match self.api.post(path, underway.key, &batch::body(&batch, replace)).await? {
                Answer::Done(answer) => {
                    self.count(&batch);
                    self.progress.advance(batch.iter().map(Item::lines).sum());
                    return self.report.record_success(underway, variants(&answer));
                }
                Answer::Refused(problem) => problem,
            };
            let faults = culprits(&batch, &problem)?;
            let reported: Vec<Fault> = faults.iter().map(|(_, fault)| fault.clone()).collect();
            self.report.record_refusal(&underway, &problem.code, &reported)?;
            self.faults.extend(reported);
            let bad: HashSet<usize> = faults.into_iter().map(|(nth, _)| nth).collect();
            let (left_out, good): (Vec<_>, Vec<_>) =
                batch.into_iter().enumerate().partition(|(nth, _)| bad.contains(nth));
            batch = good.into_iter().map(|(_, item)| item).collect();
            for (_, item) in left_out {
                self.progress.advance(item.lines());
                if item.place == Place::Product {
                    self.left_out.insert(item.line);
                    self.left_out.extend(item.parts.iter().map(|(line, _)| line));
                }
            }
            if batch.is_empty() {
                return Ok(());
            }
            underway = self.report.record_sending(to, &batch)?;
        }
    }
}

/// The bad items of a refused batch with their lines: all of them where the refusal points to none.
fn culprits(batch: &[Item], problem: &Problem) -> Result<Vec<(usize, Fault)>> {
    if !matches!(problem.status, 400 | 404 | 409) {
        bail!("{}", problem.describe());
    }
    let found = problem.errors.iter().filter_map(|item| batch::culprit(batch, &item.pointer, &item.code));
    let found: Vec<(usize, Fault)> = found.collect();
    match found.is_empty() {
        true => Ok(batch::all(batch, &problem.code).into_iter().enumerate().collect()),
        false => Ok(found),
    }
}

/// Ids of the variants that an import made, by SKU; none of prices.
fn variants(answer: &Json) -> BTreeMap<String, String> {
    let items = answer.get("items").and_then(Json::as_array).into_iter().flatten();
    let variants = items.filter_map(|item| item.get("variants").and_then(Json::as_array)).flatten();
    variants.filter_map(|variant| Some((text(variant, "sku")?.to_owned(), text(variant, "id")?.to_owned()))).collect()
}
