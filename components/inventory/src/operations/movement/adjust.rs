//! Adjustments by hand: goods found, missing, damaged or lost, by quantity. One, or up to 500 of a legal entity at once.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get_all, lock_all_shared, run};
use stoa_sdk::{Answer, Call, Id, Item, Problem, Reply, item, map, set};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::books::{self, Cost, Terms};
use stoa_trade::clients::{Key, keys};
use stoa_trade::quantity::{Quantity, widen};
use stoa_trade::refusal::{illegal, refuse, refuse_invalid, unusable};

use crate::operations::movement::input::{AdjustmentInput, AdjustmentType};
use crate::records::movement::{InventoryMovementReceipt, MovementRow, receipt};
use crate::records::warehouse::{WarehouseRow, gate};
use crate::rules::place;
use crate::work::adjust::adjust_quantity;
use crate::work::goods::{Goods, Place, Sku};
use crate::work::units::changes::Why;
use crate::work::units::worth::Worth;

/// Types of accounts that an adjustment may be posted against: all of them.
const ACCOUNT_TYPES: [&str; 5] = ["ASSET", "LIABILITY", "EQUITY", "INCOME", "EXPENSE"];

/// Adjustments to make, in this order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdjustmentBatch {
    /// Adjustments to make, at most 500. They succeed or fail together.
    #[schemars(length(min = 1, max = stoa_trade::limits::BATCH))]
    adjustments: Vec<AdjustmentInput>,
}

/// Receipts of the movements, in the order of the request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdjustmentReceipts {
    items: Vec<InventoryMovementReceipt>,
}

/// An adjustment and its place in the request.
struct Stated {
    pointer: String,
    input: AdjustmentInput,
    warehouse: Id,
}

impl Stated {
    /// # Errors
    /// VALIDATION_FAILED where the warehouse is missing, which the schema requires.
    fn new(pointer: String, input: AdjustmentInput) -> Result<Stated, Problem> {
        let warehouse = if is_inbound(&input) { input.to_warehouse_id } else { input.from_warehouse_id };
        match warehouse {
            Some(warehouse) => Ok(Stated { pointer, input, warehouse }),
            None => Err(Problem::invalid(vec![item(pointer + warehouse_member(&input), "REQUIRED")])),
        }
    }

    fn is_inbound(&self) -> bool {
        is_inbound(&self.input)
    }

    fn at(&self, member: &str) -> String {
        format!("{}{member}", self.pointer)
    }

    fn at_warehouse(&self) -> String {
        self.at(warehouse_member(&self.input))
    }
}

fn is_inbound(input: &AdjustmentInput) -> bool {
    input.movement_type == AdjustmentType::In
}

fn warehouse_member(input: &AdjustmentInput) -> &'static str {
    if is_inbound(input) { "/toWarehouseId" } else { "/fromWarehouseId" }
}

pub fn create(call: &Call) -> Answer {
    let stated = Stated::new(String::new(), call.body()?)?;
    let movements = adjust(&[stated])?;
    movements.first().map(receipt).ok_or_else(Problem::not_found)
}

pub fn create_all(call: &Call) -> Answer {
    let AdjustmentBatch { adjustments } = call.body()?;
    let place = |(index, input)| Stated::new(format!("/adjustments/{index}"), input);
    let stated = adjustments.into_iter().enumerate().map(place).collect::<Result<Vec<Stated>, Problem>>()?;
    refuse_both_ways(&stated)?;
    let movements = adjust(&stated)?;
    let items = movements.iter().map(InventoryMovementReceipt::from_row).collect();
    let reply = Reply::json(&AdjustmentReceipts { items });
    let reply = reply.subjects(set(movements.iter().map(|movement| movement.product_id)));
    Ok(match movements.first() {
        Some(first) => reply.resource(first.id),
        None => reply,
    })
}

/// Refuses a variant that comes into a warehouse and leaves it in one request: goods leave at the cost of layers that
/// were there before.
///
/// # Errors
/// VALIDATION_FAILED at every adjustment that goes the other way than the first one of its variant and warehouse.
fn refuse_both_ways(stated: &[Stated]) -> Result<(), Problem> {
    let mut ways: BTreeMap<(Id, Id), bool> = BTreeMap::new();
    let goes_back = |one: &&Stated| {
        let way = ways.entry((one.warehouse, one.input.variant_id)).or_insert(one.is_inbound());
        *way != one.is_inbound()
    };
    let wrong: Vec<&Stated> = stated.iter().filter(goes_back).collect();
    refuse_invalid(wrong.into_iter().map(|one| item(one.at("/movementType"), "NOT_ALLOWED")).collect())
}

/// An adjustment with its goods and its warehouse.
struct Line<'a> {
    stated: &'a Stated,
    article: &'a Article,
    warehouse: &'a WarehouseRow,
}

/// Makes all of the adjustments or none. Returns their movements in the same order.
fn adjust(stated: &[Stated]) -> Result<Vec<MovementRow>, Problem> {
    let articles = articles::get(stated.iter().map(|one| one.input.variant_id));
    // An outbound adjustment needs no gate: an archived warehouse has no goods to give.
    let entered = set(stated.iter().filter(|one| one.is_inbound()).map(|one| one.warehouse));
    let gates = (!entered.is_empty()).then(|| lock_all_shared(entered.into_iter().map(gate)));
    let (_, warehouses) = run((gates, get_all::<WarehouseRow>(set(stated.iter().map(|one| one.warehouse)))))?;
    let warehouses = map(warehouses.into_iter().map(|row| (row.id, row)));
    let lines = find_records(stated, &articles, &warehouses)?;
    let Some(first) = lines.first() else { return Ok(Vec::new()) };
    let entity = first.warehouse.legal_entity_id;
    check(&lines, entity)?;
    let terms = books::admit(entity)?;
    admit(&lines, entity, terms.is_some())?;

    let mut goods = Goods::default();
    let movements = lines.iter().map(|line| line.collect(&mut goods, terms.as_ref())).collect();
    let settled = goods.settle()?;
    settled.write(())?;
    settled.post(terms.as_ref(), entity, &first.stated.input.reason)?;
    Ok(movements)
}

/// # Errors
/// NOT_FOUND at every variant and warehouse that does not exist.
fn find_records<'a>(
    stated: &'a [Stated],
    articles: &'a BTreeMap<Id, Article>,
    warehouses: &'a BTreeMap<Id, WarehouseRow>,
) -> Result<Vec<Line<'a>>, Problem> {
    let (mut lines, mut missing) = (Vec::new(), Vec::new());
    for one in stated {
        let (article, warehouse) = (articles.get(&one.input.variant_id), warehouses.get(&one.warehouse));
        missing.extend(article.is_none().then(|| item(one.at("/variantId"), "NOT_FOUND")));
        missing.extend(warehouse.is_none().then(|| item(one.at_warehouse(), "NOT_FOUND")));
        lines.extend(article.zip(warehouse).map(|(article, warehouse)| Line { stated: one, article, warehouse }));
    }
    refuse("NOT_FOUND", missing)?;
    Ok(lines)
}

/// Checks goods and warehouses, of all lines one rule after the other.
fn check(lines: &[Line], entity: Id) -> Result<(), Problem> {
    check_each(lines, |line| {
        articles::check_scale(line.article, line.stated.input.quantity.0, &line.stated.at("/quantity"))
    })?;
    check_each(lines, |line| articles::require_quantities(line.article, &line.stated.at("/variantId")))?;
    check_each(lines, |line| match line.stated.is_inbound() && !articles::is_active(line.article) {
        true => Err(unusable(line.stated.at("/variantId"), "ARCHIVED")),
        false => place::check_active(line.warehouse, &line.stated.at_warehouse()),
    })?;
    check_each(lines, |line| match line.warehouse.legal_entity_id == entity {
        true => Ok(()),
        false => Err(unusable(line.stated.at_warehouse(), "OTHER_ENTITY")),
    })
}

/// Checks that the books, where they are kept, can post what comes in, against the accounts that the lines name.
fn admit(lines: &[Line], entity: Id, keeps_books: bool) -> Result<(), Problem> {
    let account = |line: &Line| line.stated.input.counter_account_id;
    if !keeps_books {
        return check_each(lines, |line| match account(line) {
            Some(_) => Err(illegal(line.stated.at("/counterAccountId"), "BOOKS_NOT_KEPT")),
            None => Ok(()),
        });
    }
    let (mut missing, mut costs) = (Vec::new(), Vec::new());
    for line in lines.iter().filter(|line| line.stated.is_inbound()) {
        let pointer = line.stated.at("/unitCost");
        match line.stated.input.unit_cost {
            None => missing.push(item(pointer, "VALUATION_COST_REQUIRED")),
            Some(cost) => {
                costs.push(Cost { unit_cost: cost.to_string(), decimal_places: line.article.decimal_places, pointer })
            }
        }
    }
    refuse("VALUATION_COST_REQUIRED", missing)?;
    books::admit_costs(entity, &costs)?;
    let usable = find_usable_accounts(entity, set(lines.iter().filter_map(account)))?;
    check_each(lines, |line| match account(line).is_none_or(|account| usable.contains(&account)) {
        true => Ok(()),
        false => Err(unusable(line.stated.at("/counterAccountId"), "ACCOUNT_UNUSABLE")),
    })
}

/// Those of the accounts that may be posted against. The books are held since they were admitted, so the accounts stay usable.
fn find_usable_accounts(entity: Id, accounts: BTreeSet<Id>) -> Result<BTreeSet<Id>, Problem> {
    if accounts.is_empty() {
        return Ok(accounts);
    }
    let (accounts, types): (Vec<Key>, _) = (keys(accounts), ACCOUNT_TYPES.map(str::to_owned));
    Ok(set(books::service::line_accounts(entity.into(), &accounts, &types)?.into_iter().map(Id::from)))
}

/// Refuses with the faults of all lines that the rule does not admit.
fn check_each(lines: &[Line], rule: impl Fn(&Line) -> Result<(), Problem>) -> Result<(), Problem> {
    let refused: Vec<Problem> = lines.iter().filter_map(|line| rule(line).err()).collect();
    let Some(code) = refused.first().map(|first| first.code.clone()) else { return Ok(()) };
    let faults: Vec<Item> = refused.into_iter().flat_map(|problem| problem.errors).collect();
    refuse(&code, faults)
}

impl Line<'_> {
    /// Collects the change of the goods. Returns its movement.
    fn collect(&self, goods: &mut Goods, terms: Option<&Terms>) -> MovementRow {
        let input = &self.stated.input;
        let why = Why {
            counter_account: input.counter_account_id,
            ..Why::manual(input.movement_type.movement(), &input.reason, input.reference_id)
        };
        let (difference, worth) = match self.stated.is_inbound() {
            true => (
                input.quantity.0,
                Worth {
                    unit_cost: input.unit_cost.map(widen),
                    currency_code: terms.map(|terms| terms.currency_code.clone()),
                },
            ),
            false => (Quantity::from_units(-input.quantity.0.units()), Worth::default()),
        };
        let goods_here = (Place::from_row(self.warehouse), Sku::new(self.article));
        adjust_quantity(goods, &why, goods_here, difference, worth, &self.stated.at("/quantity"))
    }
}
