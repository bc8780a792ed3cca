//! Sending what differs: new products in batches, changes of existing ones record by record, then prices list by list.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::{Value as Json, json};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::api::{Answer, Api, Problem};
use crate::batch::{self, Item, Place};
use crate::change::{self, Change, Changed};
use crate::compare::{canonical_instant, is_same_decimal, show};
use crate::fault::Fault;
use crate::file::{File, Price, Product};
use crate::known::{Known, Side, text};
use crate::progress::Progress;
use crate::report::{Report, Underway};
use crate::tally::Tally;

/// Products that are changed at a time.
pub const AT_ONCE: usize = 8;

/// The choices of the command line.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// Prints the difference and sends nothing.
    pub dry_run: bool,
    pub create_missing: bool,
    /// An API client may replace records of which it cannot read every member.
    pub overwrite_hidden: bool,
    /// When prices without a `validFrom` of their own begin.
    pub valid_from: Option<String>,
    /// Code of the account that opening stock is posted against.
    pub counter_account: Option<String>,
}

pub struct Sender {
    pub api: Arc<Api>,
    pub known: Known,
    /// `None` in a dry run.
    pub report: Option<Report>,
    pub progress: Progress,
    pub choices: Choices,
    /// The service's time when the run began.
    pub now: String,
    /// Accounts that opening stock is posted against, by the id of the legal entity.
    pub accounts: HashMap<String, String>,
    pub tally: Tally,
    /// The lines of a dry run.
    pub preview: Vec<String>,
    /// SKUs that a dry run would create.
    planned: HashSet<String>,
}

impl Sender {
    pub fn new(
        api: Arc<Api>,
        known: Known,
        report: Option<Report>,
        progress: Progress,
        choices: Choices,
        now: String,
    ) -> Sender {
        let (accounts, tally) = (HashMap::new(), Tally::default());
        let (preview, planned) = (Vec::new(), HashSet::new());
        Sender { api, known, report, progress, choices, now, accounts, tally, preview, planned }
    }

    /// # Errors
    /// The service does not respond, or it rejects the caller.
    pub async fn products(&mut self, products: Vec<Product>) -> Result<()> {
        let products = self.look_up(products).await?;
        let (mut items, mut changes) = (Vec::new(), Vec::new());
        let mut found: HashMap<String, u64> = HashMap::new();
        for product in products {
            let record = match self.known.product_of(&product) {
                Ok(record) => record,
                Err(fault) => {
                    self.tally.leave_out(&product.rows, vec![fault]);
                    continue;
                }
            };
            let Some(record) = record else {
                items.push(self.creation(&product));
                continue;
            };
            let id = text(record, "id").unwrap_or_default().to_owned();
            if found.insert(id, product.line()).is_some() {
                let fault = Fault::new(product.line(), "", "SAME_PRODUCT");
                self.tally.leave_out(&product.rows, vec![fault]);
                continue;
            }
            let mut faults = Vec::new();
            let change = change::plan(&self.known, record, product, self.choices.overwrite_hidden, &mut faults);
            let is_unchanged = change.is_empty() && faults.is_empty();
            self.tally.counts.unchanged += usize::from(is_unchanged);
            self.tally.faults.extend(faults);
            match change.is_empty() {
                true => {
                    self.progress.advance(change.rows.len());
                    self.tally.same.extend(change.rows);
                }
                false => changes.push(change),
            }
        }
        if self.choices.dry_run {
            self.preview_products(items, changes);
            return Ok(());
        }
        let path = self.known.side.path("catalog/imports");
        self.send("products", &path, items).await?;
        self.change(changes).await
    }

    fn creation(&self, product: &Product) -> Item {
        let parts = product.variants.iter().map(|variant| (variant.line, variant.sku.clone())).collect();
        Item::new(Place::Product, "products", product.creation(), product.line(), parts, "")
    }

    /// Puts the ids of lookups into the products. Those that do not exist are created where that is wanted, else reported once
    /// each, and the products that name them are left out.
    async fn look_up(&mut self, products: Vec<Product>) -> Result<Vec<Product>> {
        let mut missing: BTreeMap<(&'static str, String), (&'static str, Vec<u64>)> = BTreeMap::new();
        for code in products.iter().flat_map(|product| &product.codes) {
            let key = (code.kind, code.code.clone());
            if !self.known.lookups.contains_key(&key) {
                missing.entry(key).or_insert_with(|| (code.column, Vec::new())).1.push(code.line);
            }
        }
        for ((kind, code), (column, lines)) in missing {
            self.add_lookup(kind, code, column, lines).await?;
        }
        let mut complete = Vec::new();
        for mut product in products {
            let id = |code: &crate::file::Code| self.known.lookups.get(&(code.kind, code.code.clone())).cloned();
            let ids: Option<Vec<(&'static str, String)>> =
                product.codes.iter().map(|code| Some((code.member, id(code)?))).collect();
            match ids {
                Some(ids) => {
                    product.body.extend(ids.into_iter().map(|(member, id)| (member.to_owned(), json!(id))));
                    complete.push(product);
                }
                None => self.tally.leave_out(&product.rows, Vec::new()),
            }
        }
        Ok(complete)
    }

    async fn add_lookup(&mut self, kind: &'static str, code: String, column: &str, lines: Vec<u64>) -> Result<()> {
        let first = lines.iter().min().copied().unwrap_or_default();
        if !self.choices.create_missing {
            self.tally.faults.push(Fault::new_missing(first, column, &code, lines.len()));
            self.tally.failed.extend(lines);
            return Ok(());
        }
        if self.choices.dry_run {
            self.preview.push(format!("+ {column} {code}"));
            self.tally.counts.lookups += 1;
            self.known.lookups.insert((kind, code.clone()), code);
            return Ok(());
        }
        let path = self.known.side.path(&format!("catalog/lookups/{kind}"));
        match self.api.post(&path, Uuid::new_v4(), &json!({ "name": code, "code": code })).await? {
            Answer::Done(answer) => {
                let id = text(&answer.json, "id").context("a created lookup without an id")?.to_owned();
                self.tally.counts.lookups += 1;
                self.known.lookups.insert((kind, code), id);
            }
            Answer::Refused(problem) => {
                let mut faults = change::faults(&problem, first, crate::columns::Part::Group)?;
                for fault in &mut faults {
                    fault.column = column.to_owned();
                    (fault.name, fault.lines) = (Some(code.clone()), Some(lines.len()));
                }
                self.tally.faults.extend(faults);
                self.tally.failed.extend(lines);
            }
        }
        Ok(())
    }

    fn preview_products(&mut self, items: Vec<Item>, changes: Vec<Change>) {
        for item in items {
            let name = text(&item.body, "name").unwrap_or_default();
            let skus: Vec<&str> = item.parts.iter().map(|(_, sku)| sku.as_str()).collect();
            self.preview.push(format!("+ product {name:?} {}", skus.join(" ")).trim_end().to_owned());
            self.planned.extend(skus.into_iter().map(str::to_owned));
            self.tally.counts.products += 1;
            self.tally.written.extend(item.rows());
        }
        for change in changes {
            for variant in change.added {
                self.preview.push(format!("+ variant {}", variant.sku));
                self.tally.counts.variants += 1;
                self.tally.written.insert(variant.line);
                self.planned.insert(variant.sku);
            }
            for replacement in change.replaced {
                for difference in &replacement.differences {
                    let shown = |value: &Json| {
                        let code = value.as_str().filter(|_| difference.member.ends_with("Id"));
                        code.and_then(|id| self.known.code_of(id)).map_or_else(|| show(value), str::to_owned)
                    };
                    let (old, new) = (shown(&difference.old), shown(&difference.new));
                    self.preview.push(format!("~ {} {}: {old} -> {new}", replacement.label, difference.column));
                }
                self.tally.counts.changed += 1;
                self.tally.written.insert(replacement.line);
            }
            self.tally.same.extend(change.rows);
        }
    }

    /// Changes existing products, several at a time.
    async fn change(&mut self, changes: Vec<Change>) -> Result<()> {
        self.progress.of("changes");
        let mut waiting = changes.into_iter();
        let mut running = JoinSet::new();
        loop {
            while running.len() < AT_ONCE {
                let Some(change) = waiting.next() else { break };
                running.spawn(change.send(self.api.clone(), self.known.side.clone()));
            }
            let Some(ended) = running.join_next().await else { return Ok(()) };
            self.take(ended??);
        }
    }

    fn take(&mut self, changed: Changed) {
        let counts = &mut self.tally.counts;
        counts.variants += changed.added.len();
        counts.changed += changed.replaced;
        for (sku, id) in &changed.added {
            self.known.add_variant(sku, id, &changed.product);
        }
        if let (Some(status), Some(product)) = (changed.publication, self.known.products.get_mut(&changed.product))
            && let Some(members) = product.as_object_mut()
        {
            members.insert("publicationStatus".to_owned(), status);
        }
        self.progress.advance(changed.rows.len());
        self.tally.same.extend(changed.rows);
        self.tally.written.extend(changed.written);
        self.tally.left_out.extend(changed.left_out);
        self.tally.faults.extend(changed.faults);
    }

    /// # Errors
    /// The service does not respond, or it rejects the caller.
    pub async fn prices(&mut self, file: &File) -> Result<()> {
        for code in &file.lists {
            let Some((list, currency)) = self.known.lists.get(code).cloned() else { continue };
            let of_list = file.prices.iter().filter(|price| price.list == *code);
            let prices: Vec<&Price> = of_list.filter(|price| !self.tally.left_out.contains(&price.line)).collect();
            let kept = self.read_prices(&list, &prices).await?;
            let column = format!("price:{code}");
            let mut items = Vec::new();
            for price in prices {
                items.extend(self.price(price, &currency, &column, &kept));
            }
            if !self.choices.dry_run {
                let path = self.known.side.path(&format!("pricing/price-lists/{list}/prices/batch"));
                self.send(&format!("prices:{code}"), &path, items).await?;
            }
        }
        Ok(())
    }

    /// Returns whether a dry run would create the variant.
    pub fn is_planned(&self, sku: &str) -> bool {
        self.planned.contains(sku)
    }

    /// When the price begins, if that is stated.
    fn begin<'a>(&'a self, price: &'a Price) -> Option<&'a str> {
        price.valid_from.as_deref().or(self.choices.valid_from.as_deref())
    }

    /// Prices in effect when those of the file begin, by the id of the variant and that instant.
    async fn read_prices(&self, list: &str, prices: &[&Price]) -> Result<HashMap<(String, String), Json>> {
        let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for price in prices {
            let id = self.known.variant_id(&price.sku).filter(|id| !self.known.created.contains(*id));
            if let Some(id) = id {
                wanted.entry(self.begin(price).unwrap_or(&self.now)).or_default().insert(id);
            }
        }
        let mut found = HashMap::new();
        for (at, variants) in wanted {
            let filters = match self.known.side {
                Side::User(_) => vec![("at", at)],
                // An API client reads only the prices of now.
                Side::Client if canonical_instant(at) > self.now => continue,
                Side::Client => Vec::new(),
            };
            let path = format!("pricing/price-lists/{list}/prices");
            let kept = self.known.read_by_variant(&self.api, &path, &variants, &filters).await?;
            found.extend(kept.into_iter().map(|(variant, price)| ((variant, at.to_owned()), price)));
        }
        Ok(found)
    }

    /// The price as it is sent; none if it is in effect, or its line is bad.
    fn price(
        &mut self,
        price: &Price,
        currency: &str,
        column: &str,
        kept: &HashMap<(String, String), Json>,
    ) -> Option<Item> {
        let is_planned = self.is_planned(&price.sku);
        let id = self.known.variant_id(&price.sku).map(str::to_owned);
        let fault = match &id {
            None if !is_planned => Some(("sku", "NOT_FOUND")),
            Some(id) if !self.known.created.contains(id) && !self.known.is_visible(&price.sku) => {
                Some((column, "NOT_VISIBLE"))
            }
            _ => None,
        };
        if let Some((column, code)) = fault {
            self.tally.faults.push(Fault::new(price.line, column, code));
            return None;
        }
        let from = self.begin(price);
        let id = id.unwrap_or_default();
        let old = kept.get(&(id.clone(), from.unwrap_or(&self.now).to_owned()));
        let amount = old.and_then(|old| text(old, "amount"));
        let is_same_end = |old: &Json| {
            let end = text(old, "validTo").map(canonical_instant);
            price.valid_to.as_ref().is_none_or(|stated| end == Some(canonical_instant(stated)))
        };
        if amount.is_some_and(|amount| is_same_decimal(amount, &price.amount)) && old.is_some_and(is_same_end) {
            self.tally.counts.unchanged += 1;
            self.tally.same.insert(price.line);
            return None;
        }
        let mut body = json!({ "variantId": id, "currencyCode": currency, "amount": price.amount });
        for (member, bound) in [("validFrom", from), ("validTo", price.valid_to.as_deref())] {
            if let (Some(bound), Some(body)) = (bound, body.as_object_mut()) {
                body.insert(member.to_owned(), json!(bound));
            }
        }
        let starts_now = from.is_none() && old.is_some();
        if self.choices.dry_run {
            self.preview.push(match amount {
                Some(old) => format!("~ {} {column}: {old} -> {}", price.sku, price.amount),
                None => format!("+ {} {column}: {}", price.sku, price.amount),
            });
            self.tally.counts.prices += 1;
            self.tally.written.insert(price.line);
            return None;
        }
        Some(Item { starts_now, ..Item::new(Place::Price, column, body, price.line, Vec::new(), column) })
    }

    /// Sends batches: those without a response as they were, then the rest.
    async fn send(&mut self, to: &str, path: &str, mut items: Vec<Item>) -> Result<()> {
        self.progress.of(to);
        for (underway, batch) in self.report()?.take_unanswered(to, &mut items) {
            self.batch(to, path, underway, batch).await?;
        }
        for batch in batch::batches(items) {
            let from = self.now.clone();
            let underway = self.report()?.record_sending(to, &batch, &from)?;
            self.batch(to, path, underway, batch).await?;
        }
        Ok(())
    }

    fn report(&mut self) -> Result<&mut Report> {
        self.report.as_mut().context("a dry run sends nothing")
    }

    /// Counts a batch that was done.
    fn count(&mut self, batch: &[Item], answer: &Json) {
        match batch.first().map(|item| item.place) {
            Some(Place::Price) => self.tally.counts.prices += batch.len(),
            _ => self.tally.counts.products += batch.len(),
        }
        for item in batch {
            let rows = item.rows();
            self.progress.advance(rows.len());
            self.tally.written.extend(rows);
        }
        for product in answer.get("items").and_then(Json::as_array).into_iter().flatten() {
            let Some(id) = text(product, "id") else { continue };
            for variant in product.get("variants").and_then(Json::as_array).into_iter().flatten() {
                if let (Some(sku), Some(variant)) = (text(variant, "sku"), text(variant, "id")) {
                    self.known.add_variant(sku, variant, id);
                    self.known.created.insert(id.to_owned());
                }
            }
        }
    }

    /// Sends a batch, and after a refusal what is left of it without the bad lines, until nothing is.
    async fn batch(&mut self, to: &str, path: &str, underway: Underway, batch: Vec<Item>) -> Result<()> {
        let (mut underway, mut batch) = (underway, batch);
        loop {
            let body = batch::body(&batch, &underway.from);
            let problem = match self.api.post(path, underway.key, &body).await? {
                Answer::Done(answer) => {
                    self.count(&batch, &answer.json);
                    return self.report()?.record_success(&underway);
                }
                Answer::Refused(problem) => problem,
            };
            let faults = culprits(&batch, &problem)?;
            let reported: Vec<Fault> = faults.iter().map(|(_, fault)| fault.clone()).collect();
            self.report()?.record_refusal(&underway, &problem.code, &reported)?;
            let mut bad: BTreeMap<usize, Vec<Fault>> = BTreeMap::new();
            for (nth, fault) in faults {
                bad.entry(nth).or_default().push(fault);
            }
            let mut good = Vec::new();
            for (nth, item) in batch.into_iter().enumerate() {
                let Some(faults) = bad.remove(&nth) else {
                    good.push(item);
                    continue;
                };
                let rows = item.rows();
                self.progress.advance(rows.len());
                match item.place {
                    Place::Product => self.tally.leave_out(&rows, faults),
                    Place::Price => self.tally.faults.extend(faults),
                }
            }
            batch = good;
            if batch.is_empty() {
                return Ok(());
            }
            let from = underway.from;
            underway = self.report()?.record_sending(to, &batch, &from)?;
        }
    }
}

/// The bad items of a rejected batch with their lines: all of them where the problem points to none.
fn culprits(batch: &[Item], problem: &Problem) -> Result<Vec<(usize, Fault)>> {
    if !matches!(problem.status, 400 | 404 | 409) {
        bail!("{}", problem.describe());
    }
    let found: Vec<(usize, Fault)> = problem.errors.iter().filter_map(|item| batch::culprit(batch, item)).collect();
    match found.is_empty() {
        true => Ok(batch::all(batch, &problem.code).into_iter().enumerate().collect()),
        false => Ok(found),
    }
}
