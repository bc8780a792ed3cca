//! The records of other modules that a document names: read in one call to each module, judged together.
//!
//! A record that a body names must exist (NOT_FOUND) and be usable (REFERENCE_INVALID). A record that a stored document
//! names was usable once: where it no longer is, the transition that asks again answers ARCHIVED, and points into the
//! record (sales-pos.md 1.1).

use std::collections::BTreeMap;

use stoa_sdk::store::{get, run};
use stoa_sdk::{Id, Item, Problem, item, now};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::directory;
use stoa_trade::clients::offers::{self, PriceList, Priced, Visibility};
use stoa_trade::clients::units::{self, Unit};
use stoa_trade::clients::warehouses::{self, Warehouse};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::number::{NumberRange, next_figure};
use stoa_trade::quantity::{Quantity, Tracking, is_countable, pieces, scale_fault};
use stoa_trade::refusal::{list_faults, refuse, refuse_invalid, unusable};
use stoa_trade::{Caller, Status};

use crate::records::customer::CustomerRow;
use crate::rules::line::{AdjustedPrice, LineTerms, Named, StatedLine};
use crate::rules::total::check_units;

/// The records that a document names.
#[derive(Default)]
pub struct References {
    /// True if the entity is active; none if it does not exist.
    entity: Option<bool>,
    warehouse: Option<Warehouse>,
    list: Option<PriceList>,
    prices: BTreeMap<Id, Priced>,
    articles: BTreeMap<Id, Article>,
    units: BTreeMap<Id, Unit>,
}

impl References {
    /// Reads what is named, with the prices in effect now for the customer.
    pub fn read(named: &Named<'_>) -> References {
        let warehouse = named.warehouse.and_then(|id| warehouses::get([id]).remove(&id));
        // An active warehouse keeps its entity from being archived.
        let vouches = |warehouse: &Warehouse| warehouse.active && Id::from(warehouse.legal_entity_id) == named.entity;
        let entity = match warehouse.as_ref().is_some_and(vouches) {
            true => Some(true),
            false => directory::entities(&[named.entity]).first().map(|entity| entity.active),
        };
        let units = units::get_by_id(named.lines.iter().flat_map(|line| line.units.iter().copied()));
        References { entity, warehouse, units, ..References::read_prices(named) }
    }

    /// Reads only articles and prices: those of a stored document, whose other records are not read again.
    pub fn read_prices(named: &Named<'_>) -> References {
        let articles = articles::get(named.lines.iter().map(|line| line.variant));
        let wanted = named.lines.iter().map(|line| (line.variant, Some(line.quantity)));
        let (list, prices) = match offers::make(named.price_list, Some(named.customer), wanted, now()) {
            Some((list, prices)) => (Some(list), prices),
            None => (None, BTreeMap::new()),
        };
        References { entity: Some(true), warehouse: None, list, prices, articles, units: BTreeMap::new() }
    }

    /// NOT_FOUND at what a body names and there is not. To API clients there is no list but ACTIVE PUBLIC ones, and no
    /// variant of an unpublished product.
    pub fn find_missing(&self, named: &Named<'_>, caller: Caller) -> Vec<Item> {
        let mut missing = Vec::new();
        let mut miss = |is_missing: bool, pointer: String| {
            if is_missing {
                missing.push(item(pointer, "NOT_FOUND"));
            }
        };
        miss(self.entity.is_none(), "/legalEntityId".to_owned());
        miss(named.warehouse.is_some() && self.warehouse.is_none(), "/warehouseId".to_owned());
        let hidden = |list: &PriceList| caller.is_client() && !(list.active && list.visibility == Visibility::Public);
        miss(self.list.as_ref().is_none_or(hidden), "/priceListId".to_owned());
        for (pointer, line) in Lines::at("/items", named.lines).iter() {
            let hidden = |article: &Article| caller.is_client() && !article.published;
            miss(self.articles.get(&line.variant).is_none_or(hidden), pointer.member("variantId"));
            for (nth, unit) in line.units.iter().enumerate() {
                miss(!self.units.contains_key(unit), pointer.entry("unitIds", nth));
            }
        }
        missing
    }

    /// The references of a new document, judged, with article and price of its lines, and the next figure of its
    /// numbers where the body states none. The figure is asked for together with the last read, once it is sure whose number
    /// it will be.
    ///
    /// # Errors
    /// References that are missing, cannot be used or have no price.
    pub fn read_new(
        named: &Named<'_>,
        caller: Caller,
        range: Option<NumberRange<'_>>,
    ) -> Result<(References, Vec<LineTerms>, Option<u64>), Problem> {
        let references = References::read(named);
        let range = range.filter(|_| references.find_missing(named, caller).is_empty());
        let (customer, figure) = run((get::<CustomerRow>(named.customer), range.map(next_figure)))?;
        let customer = references.require(named, customer, caller)?;
        references.check(named, &customer)?;
        let terms = references.price_lines(named.lines)?;
        Ok((references, terms, figure))
    }

    /// The customer, where all that a body names is there; else NOT_FOUND at what is missing.
    pub fn require(
        &self,
        named: &Named<'_>,
        customer: Option<CustomerRow>,
        caller: Caller,
    ) -> Result<CustomerRow, Problem> {
        let mut missing = self.find_missing(named, caller);
        missing.extend(customer.is_none().then(|| item("/customerId", "NOT_FOUND")));
        refuse("NOT_FOUND", missing)?;
        customer.ok_or_else(|| Problem::reference_missing("/customerId"))
    }

    /// Judges whether a body may name them so: quantities, then what cannot be used, then counts of units.
    ///
    /// # Errors
    /// VALIDATION_FAILED with QUANTITY_SCALE, REFERENCE_INVALID, UNIT_COUNT_MISMATCH, LIMIT_EXCEEDED.
    pub fn check(&self, named: &Named<'_>, customer: &CustomerRow) -> Result<(), Problem> {
        let lines = Lines::at("/items", named.lines);
        let fine = lines.iter().filter_map(|(pointer, line)| {
            let article = self.articles.get(&line.variant)?;
            let (tracking, places) = (articles::tracking(article), article.decimal_places);
            let is_too_fine = !is_countable(line.quantity, tracking, places);
            is_too_fine.then(|| scale_fault(pointer.member("quantity"), tracking, places))
        });
        refuse_invalid(fine.collect())?;
        let heads =
            [("/legalEntityId", self.entity == Some(false)), ("/customerId", customer.status == Status::Archived)];
        let mut faults = list_faults("ARCHIVED", heads);
        if let Some(warehouse) = &self.warehouse {
            faults.extend(judge_warehouse(warehouse, named.entity).map(|why| item("/warehouseId", why)));
        }
        if self.list.as_ref().is_some_and(|list| !list.active) {
            faults.push(item("/priceListId", "ARCHIVED"));
        }
        faults.extend(lines.faults("variantId", "ARCHIVED", |line| !self.is_active(line.variant)));
        faults.extend(self.find_unpriced(named.lines));
        // For a line that is not serialized, every unit is another's: there the count is the fault.
        let has_units = |line: &StatedLine| self.tracking(line.variant) == Tracking::Serialized;
        faults.extend(lines.id_faults(
            "unitIds",
            "OTHER_VARIANT",
            |line| &line.units,
            |line, unit| {
                has_units(line) && self.units.get(&unit).is_some_and(|unit| Id::from(unit.variant_id) != line.variant)
            },
        ));
        refuse("REFERENCE_INVALID", faults)?;
        check_unit_counts(lines, |line| (self.tracking(line.variant), line.quantity, line.units.len()))
    }

    /// Returns whether the named warehouse does not exist.
    pub fn lacks_warehouse(&self) -> bool {
        self.warehouse.is_none()
    }

    /// Judges only the warehouse, where a body names it for a stored document.
    pub fn check_warehouse(&self, entity: Id) -> Result<(), Problem> {
        match self.warehouse.as_ref().and_then(|warehouse| judge_warehouse(warehouse, entity)) {
            Some(why) => Err(unusable("/warehouseId", why)),
            None => Ok(()),
        }
    }

    /// Judges whether a stored document may go on naming them. Customer and warehouse are judged where they are given.
    ///
    /// # Errors
    /// ARCHIVED, then REFERENCE_INVALID with PRICE_NOT_IN_EFFECT; both at their places in the record.
    pub fn check_again(&self, lines: &[StatedLine], customer: &CustomerRow) -> Result<(), Problem> {
        let heads = [
            ("/customerId", customer.status == Status::Archived),
            ("/warehouseId", self.warehouse.as_ref().is_some_and(|warehouse| !warehouse.active)),
            ("/priceListId", self.list.as_ref().is_none_or(|list| !list.active)),
        ];
        let mut faults = list_faults("ARCHIVED", heads);
        let of_lines = Lines::at("/items", lines);
        faults.extend(of_lines.faults("variantId", "ARCHIVED", |line| !self.is_active(line.variant)));
        refuse("ARCHIVED", faults)?;
        self.require_prices(lines)
    }

    /// Refuses lines without a price in effect.
    ///
    /// # Errors
    /// ARCHIVED at an archived list; REFERENCE_INVALID with PRICE_NOT_IN_EFFECT.
    pub fn require_prices(&self, lines: &[StatedLine]) -> Result<(), Problem> {
        if self.list.as_ref().is_none_or(|list| !list.active) {
            return Err(Problem::at("ARCHIVED", "/priceListId"));
        }
        refuse("REFERENCE_INVALID", self.find_unpriced(lines))
    }

    fn find_unpriced(&self, lines: &[StatedLine]) -> Vec<Item> {
        // An archived list returns no prices.
        let has_list = self.list.as_ref().is_some_and(|list| list.active);
        let is_unpriced = |line: &StatedLine| has_list && !self.prices.contains_key(&line.variant);
        Lines::at("/items", lines).faults("variantId", "PRICE_NOT_IN_EFFECT", is_unpriced)
    }

    fn is_active(&self, variant: Id) -> bool {
        self.articles.get(&variant).is_some_and(articles::is_active)
    }

    fn tracking(&self, variant: Id) -> Tracking {
        self.articles.get(&variant).map_or(Tracking::None, articles::tracking)
    }

    /// Article and agreed price of each line. `find_missing` and one of the checks have been passed.
    ///
    /// # Errors
    /// DISCOUNT_EXCEEDS_PRICE, PRICE_NOT_EXACT at each line that is so; the code is the first one's.
    pub fn price_lines(&self, lines: &[StatedLine]) -> Result<Vec<LineTerms>, Problem> {
        let mut faults: Vec<Item> = Vec::new();
        let mut terms = Vec::new();
        for (pointer, line) in Lines::at("/items", lines).iter() {
            let article = articles::require(&self.articles, line.variant, &pointer.member("variantId"))?;
            let price = self.prices.get(&line.variant);
            let price = price.ok_or_else(|| unusable(pointer.member("variantId"), "PRICE_NOT_IN_EFFECT"))?;
            match line.price.agree(price.list_amount) {
                Err((member, code)) => faults.push(item(pointer.member(member), code)),
                Ok(agreed) => terms.push(LineTerms {
                    product_id: article.product_id.into(),
                    sku: article.sku.clone(),
                    description: article.product_name.clone(),
                    tracking: articles::tracking(article),
                    price_id: price.price,
                    list_price: price.list_amount,
                    agreed,
                    adjusted: adjusted_price(price).filter(|_| agreed.is_none()),
                }),
            }
        }
        match faults.first() {
            Some(first) => Err(Problem { code: first.code.clone(), errors: faults }),
            None => Ok(terms),
        }
    }

    /// The list's currency.
    pub fn currency_code(&self) -> String {
        self.list.as_ref().map(|list| list.currency_code.clone()).unwrap_or_default()
    }

    /// The warehouse's branch.
    pub fn branch(&self) -> Option<Id> {
        self.warehouse.as_ref().and_then(|warehouse| warehouse.branch_id).map(Id::from)
    }

    /// The products of the lines: the audit entry is found by them.
    pub fn products(&self) -> impl Iterator<Item = Id> {
        self.articles.values().map(|article| Id::from(article.product_id))
    }
}

/// The price that extensions adjusted, if one did.
fn adjusted_price(price: &Priced) -> Option<AdjustedPrice> {
    let adjusted = || AdjustedPrice { amount: price.amount, adjustments: price.adjustments.clone() };
    (!price.adjustments.is_empty()).then(adjusted)
}

/// Why goods of this entity cannot be sold from a warehouse.
fn judge_warehouse(warehouse: &Warehouse, entity: Id) -> Option<&'static str> {
    if Id::from(warehouse.legal_entity_id) != entity {
        return Some("OTHER_ENTITY");
    }
    match (warehouse.active, warehouse.normal) {
        (false, _) => Some("ARCHIVED"),
        (true, false) => Some("NOT_NORMAL"),
        (true, true) => None,
    }
}

/// Units that lines name may be fewer than a serialized line's quantity, and are on no other line. `counted` answers
/// how a line is tracked, its quantity and how many units it names.
///
/// # Errors
/// UNIT_COUNT_MISMATCH, LIMIT_EXCEEDED.
pub fn check_unit_counts<T>(
    lines: Lines<'_, T>,
    counted: impl Fn(&T) -> (Tracking, Quantity, usize),
) -> Result<(), Problem> {
    let mut faults = Vec::new();
    let mut count = 0_usize;
    for (pointer, line) in lines.iter() {
        let (tracking, quantity, units) = counted(line);
        let most = match tracking {
            Tracking::Serialized => pieces(quantity).unwrap_or(usize::MAX),
            Tracking::None | Tracking::Quantity => 0,
        };
        count = count.saturating_add(most);
        if units > most {
            faults.push(unit_count_fault(pointer.member("unitIds"), most, units));
        }
    }
    refuse("UNIT_COUNT_MISMATCH", faults)?;
    check_units(count)
}

/// 409: a line names other than as many units as it may.
pub fn unit_count_fault(pointer: String, required: usize, identified: usize) -> Item {
    let count = |count: usize| Some(u32::try_from(count).unwrap_or(u32::MAX).min(1_000));
    Item { required: count(required), identified: count(identified), ..item(pointer, "UNITS_DIFFER_FROM_QUANTITY") }
}
