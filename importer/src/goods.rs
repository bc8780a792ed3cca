//! Media and stock: a product gets the images that it does not have, and stock that differs is counted. Opening stock
//! may be posted against an account instead.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::{Value as Json, json};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::api::{Answer, Api, Problem};
use crate::change::faults;
use crate::columns::{self, Part};
use crate::compare::is_same_decimal;
use crate::fault::Fault;
use crate::file::{File, Stock};
use crate::known::{Side, text};
use crate::sender::{AT_ONCE, Sender};

/// Lines of one stock count.
const COUNTED: usize = 100;
/// Adjustments of one request.
const ADJUSTED: usize = 500;

/// The reason of stock that changes.
const REASON: &str = "Imported from a file";

/// Images of one product, each with its line.
struct Images {
    product: String,
    /// The product existed before the run, and may have images.
    is_old: bool,
    images: Vec<(u64, String)>,
    dry_run: bool,
}

#[derive(Default)]
struct Shown {
    added: Vec<(u64, String)>,
    same: Vec<u64>,
    faults: Vec<Fault>,
}

impl Images {
    /// # Errors
    /// Where the service does not respond, or the caller may not write.
    async fn send(self, api: Arc<Api>, side: Side) -> Result<Shown> {
        let path = side.path(&format!("catalog/products/{}/media", self.product));
        let mut shown = Shown::default();
        let mut known: HashSet<String> = HashSet::new();
        if self.is_old {
            match api.list(&path, &[]).await? {
                Ok(media) => known.extend(media.iter().filter_map(|media| Some(text(media, "url")?.to_owned()))),
                Err(problem) => {
                    for (line, _) in self.images {
                        shown.faults.extend(faults(&problem, line, Part::Media)?);
                    }
                    return Ok(shown);
                }
            }
        }
        for (line, url) in self.images {
            if !known.insert(url.clone()) {
                shown.same.push(line);
                continue;
            }
            if self.dry_run {
                shown.added.push((line, url));
                continue;
            }
            match api.post(&path, Uuid::new_v4(), &json!({ "url": url })).await? {
                Answer::Done(_) => shown.added.push((line, url)),
                Answer::Refused(problem) => shown.faults.extend(faults(&problem, line, Part::Media)?),
            }
        }
        Ok(shown)
    }
}

impl Sender {
    /// Adds images that a product does not have; none is removed.
    ///
    /// # Errors
    /// The service does not respond, or it rejects the caller.
    pub async fn media(&mut self, file: &File) -> Result<()> {
        let mut by_product: BTreeMap<String, Images> = BTreeMap::new();
        for media in &file.media {
            if self.tally.left_out.contains(&media.line) {
                continue;
            }
            let Some(product) = self.known.product_id(&media.sku).map(str::to_owned) else {
                let is_planned = self.plan_or_miss(media.line, &media.sku, "media", &media.url);
                self.tally.counts.media += usize::from(is_planned);
                continue;
            };
            let is_created = self.known.created.contains(&product);
            if !is_created && !self.known.is_visible(&media.sku) {
                self.tally.faults.push(Fault::new(media.line, "media", "NOT_VISIBLE"));
                continue;
            }
            let images = by_product.entry(product.clone()).or_insert_with(|| Images {
                product,
                is_old: !is_created,
                images: Vec::new(),
                dry_run: self.choices.dry_run,
            });
            images.images.push((media.line, media.url.clone()));
        }
        self.progress.of("media");
        let mut waiting = by_product.into_values();
        let mut running = JoinSet::new();
        loop {
            while running.len() < AT_ONCE {
                let Some(images) = waiting.next() else { break };
                running.spawn(images.send(self.api.clone(), self.known.side.clone()));
            }
            let Some(ended) = running.join_next().await else { return Ok(()) };
            let Shown { added, same, faults } = ended??;
            self.tally.counts.media += added.len();
            self.tally.counts.unchanged += same.len();
            self.tally.same.extend(same);
            self.tally.faults.extend(faults);
            for (line, url) in added {
                self.tally.written.insert(line);
                if self.choices.dry_run {
                    self.preview.push(format!("+ line {line} media: {url}"));
                }
            }
        }
    }

    /// A row whose SKU is not a variant: one that a dry run would create, or a fault.
    fn plan_or_miss(&mut self, line: u64, sku: &str, column: &str, value: &str) -> bool {
        let is_planned = self.is_planned(sku);
        if is_planned {
            self.preview.push(format!("+ {sku} {column}: {value}"));
            self.tally.written.insert(line);
        } else {
            self.tally.faults.push(Fault::new(line, "sku", "NOT_FOUND"));
        }
        is_planned
    }

    /// Counts stock that differs, up to 100 lines in one stock count. Stock of which the warehouse has none is posted against the
    /// account that is stated, if one is.
    ///
    /// # Errors
    /// The service does not respond, or it rejects the caller.
    pub async fn stock(&mut self, file: &File) -> Result<()> {
        for code in &file.warehouses {
            let Some((warehouse, entity)) = self.known.warehouses.get(code).cloned() else { continue };
            let account = self.accounts.get(&entity).cloned();
            let column = format!("stock:{code}");
            self.progress.of(&column);
            let of_warehouse = file.stock.iter().filter(|stock| stock.warehouse == *code);
            let stock: Vec<&Stock> = of_warehouse.filter(|stock| !self.tally.left_out.contains(&stock.line)).collect();
            let ids: BTreeSet<&str> = stock.iter().filter_map(|stock| self.known.variant_id(&stock.sku)).collect();
            let filters = [("warehouseId", warehouse.as_str())];
            let levels = self.known.read_by_variant(&self.api, "inventory/stock", &ids, &filters).await?;
            let (mut counted, mut opened) = (Vec::new(), Vec::new());
            for stock in stock {
                let Some(id) = self.known.variant_id(&stock.sku).map(str::to_owned) else {
                    let is_planned = self.plan_or_miss(stock.line, &stock.sku, &column, &stock.quantity);
                    self.tally.counts.stock += usize::from(is_planned);
                    continue;
                };
                let kept = levels.get(&id).and_then(|level| text(level, "onHand")).unwrap_or("0");
                if is_same_decimal(kept, &stock.quantity) {
                    self.tally.counts.unchanged += 1;
                    self.tally.same.insert(stock.line);
                } else if self.choices.dry_run {
                    self.preview.push(format!("~ {} {column}: {kept} -> {}", stock.sku, stock.quantity));
                    self.tally.counts.stock += 1;
                    self.tally.written.insert(stock.line);
                } else if let Some(account) = account.as_ref().filter(|_| is_same_decimal(kept, "0")) {
                    let line = json!({
                        "movementType": "ADJUSTMENT_IN", "variantId": id, "toWarehouseId": warehouse, "quantity": stock.quantity,
                        "counterAccountId": account, "reason": REASON,
                    });
                    opened.push((stock.line, with_cost(line, stock)));
                } else {
                    let line = json!({ "variantId": id, "countedQuantity": stock.quantity });
                    counted.push((stock.line, with_cost(line, stock)));
                }
            }
            while !opened.is_empty() {
                let rest = opened.split_off(ADJUSTED.min(opened.len()));
                self.open_stock(&column, std::mem::replace(&mut opened, rest)).await?;
            }
            while !counted.is_empty() {
                let rest = counted.split_off(COUNTED.min(counted.len()));
                self.count_stock(&warehouse, &column, std::mem::replace(&mut counted, rest)).await?;
            }
        }
        Ok(())
    }

    /// Finds the accounts that opening stock is posted against, if one is stated: one of each legal entity with a
    /// warehouse of the file.
    ///
    /// # Errors
    /// A legal entity has no active account with the stated code.
    pub async fn find_counter_accounts(&mut self, file: &File) -> Result<()> {
        let Some(code) = self.choices.counter_account.clone() else { return Ok(()) };
        let path = self.known.side.path("ledger/accounts");
        let named = file.warehouses.iter().filter_map(|warehouse| self.known.warehouses.get(warehouse));
        let entities: BTreeSet<String> = named.map(|(_, entity)| entity.clone()).collect();
        for entity in entities {
            let found = self.api.all(&path, &[("legalEntityId", &entity), ("text", &code)]).await?;
            let account = found.iter().find(|account| text(account, "code") == Some(code.as_str()));
            let id = account.and_then(|account| text(account, "id")).map(str::to_owned);
            let id = id.with_context(|| format!("--counter-account: there is no active account {code}"))?;
            self.accounts.insert(entity, id);
        }
        Ok(())
    }

    /// Posts stock that comes in. Rejected lines are left out and the rest is sent again.
    async fn open_stock(&mut self, column: &str, lines: Vec<(u64, Json)>) -> Result<()> {
        let mut lines = lines;
        let path = self.known.side.path("inventory/adjustments/batch");
        while !lines.is_empty() {
            let bodies: Vec<&Json> = lines.iter().map(|(_, line)| line).collect();
            match self.post(&path, &json!({ "adjustments": bodies })).await? {
                Ok(_) => {
                    self.tally.counts.stock += lines.len();
                    self.tally.written.extend(lines.iter().map(|(line, _)| *line));
                    return Ok(());
                }
                Err(problem) => self.report_lines(&problem, column, &mut lines)?,
            }
        }
        Ok(())
    }

    /// Opens a stock count, records the lines and posts it. A rejected line is left out and the rest is sent again; a count that
    /// is not posted is cancelled.
    async fn count_stock(&mut self, warehouse: &str, column: &str, lines: Vec<(u64, Json)>) -> Result<()> {
        let mut lines = lines;
        let counts = self.known.side.path("inventory/counts");
        while !lines.is_empty() {
            let opened = match self.post(&counts, &json!({ "warehouseId": warehouse })).await? {
                Ok(opened) => opened,
                Err(problem) => return self.report_lines(&problem, column, &mut lines),
            };
            let id = text(&opened, "id").context("a stock count without an id")?;
            let path = format!("{counts}/{id}");
            let recorded = self.record_lines(&path, &opened, column, &mut lines).await?;
            let rejected = match &recorded {
                None => None,
                Some(recorded) => {
                    let body = json!({ "expectedVersion": version(recorded)?, "reason": REASON });
                    match self.post(&format!("{path}/post"), &body).await? {
                        Ok(_) => {
                            self.tally.counts.stock += lines.len();
                            self.tally.written.extend(lines.iter().map(|(line, _)| *line));
                            return Ok(());
                        }
                        Err(problem) => Some(problem),
                    }
                }
            };
            let last = recorded.as_ref().unwrap_or(&opened);
            let body = json!({ "expectedVersion": version(last)?, "reason": "The import was rejected" });
            if let Err(problem) = self.post(&format!("{path}/cancel"), &body).await? {
                bail!("stock count {id} stays open: {}", problem.describe());
            }
            if let Some(problem) = rejected {
                self.report_lines(&problem, column, &mut lines)?;
            }
        }
        Ok(())
    }

    /// Records the lines in an open count, without those that are rejected; none if no line is left.
    async fn record_lines(
        &mut self,
        count: &str,
        opened: &Json,
        column: &str,
        lines: &mut Vec<(u64, Json)>,
    ) -> Result<Option<Json>> {
        while !lines.is_empty() {
            let bodies: Vec<&Json> = lines.iter().map(|(_, line)| line).collect();
            let body = json!({ "expectedVersion": version(opened)?, "lines": bodies });
            match self.post(&format!("{count}/lines"), &body).await? {
                Ok(recorded) => return Ok(Some(recorded)),
                Err(problem) => self.report_lines(&problem, column, lines)?,
            }
        }
        Ok(None)
    }

    async fn post(&self, path: &str, body: &Json) -> Result<Result<Json, Problem>> {
        Ok(match self.api.post(path, Uuid::new_v4(), body).await? {
            Answer::Done(answer) => Ok(answer.json),
            Answer::Refused(problem) => Err(problem),
        })
    }

    /// Reports the lines that a problem points to, or all of them, and removes them.
    fn report_lines(&mut self, problem: &Problem, column: &str, lines: &mut Vec<(u64, Json)>) -> Result<()> {
        if !matches!(problem.status, 400 | 404 | 409) {
            bail!("{}", problem.describe());
        }
        let mut bad = HashSet::new();
        for item in &problem.errors {
            let mut steps = item.pointer.split('/').skip(1);
            let (list, nth) = (steps.next(), steps.next().and_then(|nth| nth.parse::<usize>().ok()));
            let (Some("lines" | "adjustments"), Some(nth)) = (list, nth) else { continue };
            let Some((line, _)) = lines.get(nth) else { continue };
            let member = steps.next().unwrap_or_default();
            let named = columns::of_member(member, Part::Stock);
            let column = if named.is_empty() { column.to_owned() } else { named };
            self.tally.faults.push(Fault::new(*line, column, item.code.clone()).with_details(item));
            bad.insert(nth);
        }
        if bad.is_empty() {
            let all = lines.drain(..).map(|(line, _)| Fault::new(line, column, problem.code.clone()));
            self.tally.faults.extend(all);
            return Ok(());
        }
        let kept = std::mem::take(lines).into_iter().enumerate().filter(|(nth, _)| !bad.contains(nth));
        *lines = kept.map(|(_, line)| line).collect();
        Ok(())
    }
}

/// The line with the cost of a unit that the file states.
fn with_cost(mut line: Json, stock: &Stock) -> Json {
    if let (Some(cost), Some(members)) = (&stock.unit_cost, line.as_object_mut()) {
        members.insert("unitCost".to_owned(), json!(cost));
    }
    line
}

fn version(receipt: &Json) -> Result<i64> {
    receipt.get("version").and_then(Json::as_i64).context("a receipt without a version")
}
