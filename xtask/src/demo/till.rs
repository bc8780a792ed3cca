//! The days of the demo company's till: sessions that are opened, sell in cash and by card, pay out, give money back,
//! bring the takings to the bank and are closed by a count.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use serde_json::{Value as Json, json};

use super::facts::{Catalogue, Cents, parse_amount, table, unless_dash};
use super::loader::Loader;
use super::orders::Shop;
use super::returns::TakeBack;
use super::stock::Stock;
use crate::api::{items, text};

const BASKETS: &str = include_str!("../../demo/baskets.psv");
const DAYS: &str = include_str!("../../demo/till_days.psv");
const REGISTER: &str = "POS-1";
const WALK_IN: &str = "WALK-IN";
/// Cash in the drawer at the beginning; any excess goes to the bank in whole dollars.
const CHANGE: &str = "200";

/// The contents of the till's tables.
pub struct TillDays {
    baskets: Vec<Basket>,
    days: Vec<Day>,
}

struct Basket {
    name: &'static str,
    goods: Vec<(&'static str, u32)>,
    total: Cents,
    payment: Payment,
}

#[derive(Clone, Copy)]
enum Payment {
    Card,
    /// The cash that is handed over.
    Cash(Cents),
    /// The part in cash; the rest by card.
    Mixed(Cents),
}

struct Day {
    number: &'static str,
    acts: Vec<Act>,
    paid_out: Option<(Cents, &'static str)>,
    variance: Variance,
}

/// A step with a basket, by its place in the table.
enum Act {
    Sell(usize),
    TakeBack(usize),
}

enum Variance {
    Over(Cents),
    Short(Cents),
}

/// The drawer at the end of a day.
struct Count {
    banked: Cents,
    counted: Cents,
}

/// A session that is open.
struct Session {
    /// `pos/sessions/ID`.
    path: String,
    id: String,
    version: u32,
}

/// Reads the tables. An error names the table and the line.
pub fn till_days(catalogue: &Catalogue) -> Result<TillDays> {
    let baskets = table("baskets", BASKETS, |[name, goods, payment]| {
        let goods: Vec<(&str, u32)> = goods.split_whitespace().map(parse_goods).collect::<Result<_>>()?;
        let mut total = Cents::ZERO;
        for (sku, pieces) in &goods {
            total = total.plus(catalogue.price(sku)?.times(*pieces));
        }
        Ok(Basket { name, goods, total, payment: parse_payment(payment)? })
    })?;
    let days = table("till days", DAYS, |[number, acts, paid_out, what_for, variance]| {
        let act = |word: &'static str| {
            let name = word.trim_start_matches('-');
            let basket = baskets.iter().position(|basket| basket.name == name).context("an unknown basket")?;
            Ok(if word == name { Act::Sell(basket) } else { Act::TakeBack(basket) })
        };
        let acts = acts.split_whitespace().map(act).collect::<Result<_>>()?;
        let paid_out = unless_dash(paid_out).map(parse_amount).transpose()?.map(|amount| (amount, what_for));
        let variance = match variance.strip_prefix('-') {
            Some(short) => Variance::Short(parse_amount(short)?),
            None => Variance::Over(parse_amount(variance)?),
        };
        Ok(Day { number, acts, paid_out, variance })
    })?;
    Ok(TillDays { baskets, days })
}

/// `APL-AP4-WHITE=1`.
fn parse_goods(word: &'static str) -> Result<(&'static str, u32)> {
    let (sku, pieces) = word.split_once('=').context("goods without their number")?;
    Ok((sku, pieces.parse()?))
}

fn parse_payment(text: &str) -> Result<Payment> {
    Ok(match text.split_once(' ') {
        None if text == "CARD" => Payment::Card,
        Some(("CASH", amount)) => Payment::Cash(parse_amount(amount)?),
        Some(("MIXED", amount)) => Payment::Mixed(parse_amount(amount)?),
        _ => bail!("an unknown payment"),
    })
}

impl Basket {
    /// The part of its price that goes into the drawer.
    fn cash(&self) -> Cents {
        match self.payment {
            Payment::Card => Cents::ZERO,
            Payment::Cash(_) => self.total,
            Payment::Mixed(cash) => cash,
        }
    }

    /// The payment members of a checkout.
    fn tender(&self, reference: &str) -> Json {
        let card = |amount: Cents| json!({ "method": "CARD", "cardKind": "DEBIT", "amount": amount.to_string(), "reference": reference });
        match self.payment {
            Payment::Cash(tendered) => json!({ "tenderedAmount": tendered.to_string() }),
            Payment::Card => json!({ "payments": [card(self.total)] }),
            Payment::Mixed(cash) => {
                let cash_part = json!({ "method": "CASH", "amount": cash.to_string() });
                json!({ "payments": [cash_part, card(self.total.minus(cash))] })
            }
        }
    }
}

impl TillDays {
    /// Writes of a load: the register; of each day its opening, the way to the bank and the close, and what is paid
    /// out; of a sale its order, confirmation and checkout; of a return those of `take_back`, and the refund.
    pub fn steps(&self) -> usize {
        let act_steps = |act: &Act| match act {
            Act::Sell(_) => 3,
            Act::TakeBack(_) => Loader::TAKE_BACK_STEPS + 1,
        };
        let day = |day: &Day| 3 + usize::from(day.paid_out.is_some()) + day.acts.iter().map(act_steps).sum::<usize>();
        1 + self.days.iter().map(day).sum::<usize>()
    }

    fn basket(&self, index: usize) -> Result<&Basket> {
        self.baskets.get(index).context("a basket that is not in the table")
    }

    /// How a day ends that begins with so much in the drawer.
    fn count(&self, day: &Day, opening: Cents) -> Result<Count> {
        let mut cash = opening;
        for act in &day.acts {
            cash = match act {
                Act::Sell(basket) => cash.plus(self.basket(*basket)?.cash()),
                Act::TakeBack(basket) => cash.minus(self.basket(*basket)?.total),
            };
        }
        if let Some((amount, _)) = day.paid_out {
            cash = cash.minus(amount);
        }
        let banked = cash.minus(parse_amount(CHANGE)?).whole_dollars();
        let left = cash.minus(banked);
        let counted = match day.variance {
            Variance::Over(by) => left.plus(by),
            Variance::Short(by) => left.minus(by),
        };
        Ok(Count { banked, counted })
    }
}

impl Loader<'_> {
    pub async fn till_days(&mut self, till: &TillDays, shop: &Shop<'_>, stock: &mut Stock<'_>) -> Result<()> {
        let body = json!({
            "code": REGISTER, "name": "Counter", "warehouseId": shop.premises.warehouse,
            "priceListId": shop.price_list,
        });
        let register = text(&self.create("pos/registers", REGISTER, &body).await?, "id")?;
        let banks = format!("ledger/money-accounts?legalEntityId={}&kind=BANK&limit=1", shop.premises.entity);
        let banks = self.api.get(&self.path(&banks)).await?;
        let bank = text(items(&banks).next().context("books without a bank account")?, "id")?;
        let mut opening = parse_amount(CHANGE)?;
        // The order of the last sale of each basket.
        let mut last_orders: HashMap<usize, String> = HashMap::new();
        for day in &till.days {
            let count = till.count(day, opening)?;
            let body = json!({ "registerId": register, "openingAmount": opening.to_string() });
            let id = text(&self.create("pos/sessions", day.number, &body).await?, "id")?;
            let mut session = Session { path: format!("pos/sessions/{id}"), id, version: 1 };
            for (nth, act) in day.acts.iter().enumerate() {
                let number = format!("{:0>2}-{:02}", day.number, nth + 1);
                match act {
                    Act::Sell(basket) => {
                        let order = self.sell(&mut session, &number, till.basket(*basket)?, shop, stock).await?;
                        last_orders.insert(*basket, order);
                    }
                    Act::TakeBack(basket) => {
                        let order = last_orders.get(basket).context("a return before its sale")?;
                        self.refund(&session, &number, till.basket(*basket)?, order).await?;
                    }
                }
            }
            if let Some((amount, reason)) = day.paid_out {
                self.pay_out(&mut session, amount, reason, None).await?;
            }
            self.pay_out(&mut session, count.banked, "Takings to the bank", Some(&bank)).await?;
            let body = json!({ "expectedVersion": session.version, "countedAmount": count.counted.to_string() });
            self.create(&format!("{}/close", session.path), "close", &body).await?;
            opening = count.counted;
        }
        Ok(())
    }

    /// Sells a basket over the counter; answers the order's id.
    async fn sell(
        &mut self,
        session: &mut Session,
        number: &str,
        basket: &Basket,
        shop: &Shop<'_>,
        stock: &mut Stock<'_>,
    ) -> Result<String> {
        let lines = basket.goods.iter().map(|(sku, pieces)| stock.line(sku, *pieces)).collect::<Result<Vec<_>>>()?;
        let order = self.order(shop, &format!("TILL-{number}"), WALK_IN, lines).await?;
        self.confirm(&order).await?;
        let mut body = basket.tender(&format!("SLIP-{number}"));
        body["orderId"] = json!(order);
        body["expectedOrderVersion"] = json!(2);
        body["expectedSessionVersion"] = json!(session.version);
        self.create(&format!("{}/checkout", session.path), number, &body).await?;
        session.version += 1;
        Ok(order)
    }

    /// Takes a basket of one line back, and gives its price back in cash.
    async fn refund(&mut self, session: &Session, number: &str, basket: &Basket, order: &str) -> Result<()> {
        let order = self.api.get(&self.path(&format!("sales/orders/{order}"))).await?;
        let line = items(&order).next().context("an order without lines")?;
        let pieces = basket.goods.iter().map(|(_, pieces)| pieces).sum();
        let (number, amount) = (format!("CR-TILL-{number}"), basket.total.to_string());
        let back = TakeBack {
            number: &number,
            order: &order,
            line,
            pieces,
            disposition: "RESTOCK",
            reason: "Changed their mind",
            amount: &amount,
            invoice: None,
        };
        let credit = self.take_back(back).await?;
        let body = json!({
            "expectedVersion": credit.version, "number": format!("REF-{number}"), "amount": amount, "method": "CASH",
            "sessionId": session.id, "refundedOn": credit.recognized_on,
        });
        self.create(&format!("{}/refunds", credit.path), &number, &body).await?;
        Ok(())
    }

    /// Takes cash out of the drawer, to another account where one is named.
    async fn pay_out(&mut self, session: &mut Session, amount: Cents, reason: &str, to: Option<&str>) -> Result<()> {
        let body = json!({
            "expectedVersion": session.version, "direction": "OUT", "amount": amount.to_string(), "reason": reason,
            "counterAccountId": to,
        });
        self.create(&format!("{}/cash-movements", session.path), reason, &body).await?;
        session.version += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::facts::catalogue;
    use crate::demo::{orders, purchases};

    #[test]
    fn the_tables_make_days_that_the_till_takes() {
        let till = till_days(&catalogue().unwrap()).unwrap();
        for basket in &till.baskets {
            assert!(match basket.payment {
                Payment::Card => true,
                Payment::Cash(tendered) => tendered >= basket.total,
                Payment::Mixed(cash) => Cents::ZERO < cash && cash < basket.total,
            });
        }
        let mut opening = parse_amount(CHANGE).unwrap();
        for day in &till.days {
            let count = till.count(day, opening).unwrap();
            assert!(count.banked > Cents::ZERO, "nothing to bring to the bank on day {}", day.number);
            opening = count.counted;
            let returns = day.acts.iter().filter_map(|act| match act {
                Act::TakeBack(basket) => Some(&till.baskets[*basket]),
                Act::Sell(_) => None,
            });
            assert!(returns.into_iter().all(|basket| basket.goods.len() == 1));
        }
    }

    #[test]
    fn no_more_is_sold_than_came() {
        let catalogue = catalogue().unwrap();
        let bought = purchases::purchases(&catalogue).unwrap();
        let mut left: HashMap<&str, u32> = HashMap::new();
        for (sku, pieces) in bought.pieces() {
            *left.entry(sku).or_default() += pieces;
        }
        let till = till_days(&catalogue).unwrap();
        let mut sales: Vec<(&str, u32)> = orders::orders().unwrap().pieces().collect();
        for act in till.days.iter().flat_map(|day| &day.acts) {
            if let Act::Sell(basket) = act {
                sales.extend(&till.baskets[*basket].goods);
            }
        }
        for (sku, pieces) in sales {
            let remaining = left.get_mut(sku).unwrap_or_else(|| panic!("{sku} never came"));
            *remaining = remaining.checked_sub(pieces).unwrap_or_else(|| panic!("{sku} is gone"));
        }
    }
}
