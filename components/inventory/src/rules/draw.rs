//! First in, first out: what a draw takes from the open layers of its goods. Pure arithmetic.

use stoa_sdk::Id;
use stoa_trade::quantity::{Amount, Quantity, UnitCost, value};

use crate::records::cost::LayerRow;

/// Layers that one draw may touch.
pub const MOST_LAYERS: usize = 500;

/// Goods taken from one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    pub layer: Id,
    pub quantity: Quantity,
    pub unit_cost: Option<UnitCost>,
    pub currency_code: Option<String>,
    /// None where the cost is not known.
    pub amount: Option<Amount>,
    pub receipt_item_id: Option<Id>,
}

/// Why a draw cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// The layers hold less than is drawn.
    Layers,
    /// It would touch more than `MOST_LAYERS`.
    TooMany,
    /// A part of a layer whose value has no place within 12 digits.
    Inexact,
}

/// Takes a quantity from layers in their order, and marks them as it goes.
pub fn draw(layers: &mut [LayerRow], quantity: Quantity) -> Result<Vec<Slice>, Short> {
    let mut left = quantity.units();
    let mut slices = Vec::new();
    for layer in layers.iter_mut().filter(|layer| !layer.spent) {
        if left == 0 {
            break;
        }
        if slices.len() == MOST_LAYERS {
            return Err(Short::TooMany);
        }
        let taken = left.min(layer.remaining.units());
        left -= taken;
        let taken = Quantity::from_units(taken);
        let amount = layer.unit_cost.map(|cost| value(taken, cost).ok_or(Short::Inexact)).transpose()?;
        layer.remaining = Quantity::from_units(layer.remaining.units() - taken.units());
        layer.spent = layer.remaining == Quantity::ZERO;
        // Both are exact products of one cost, so their difference is what the rest is worth.
        layer.value = layer.value.zip(amount).map(|(all, gone)| Amount::from_units(all.units() - gone.units()));
        slices.push(Slice {
            layer: layer.id,
            quantity: taken,
            unit_cost: layer.unit_cost,
            currency_code: layer.currency_code.clone(),
            amount,
            receipt_item_id: layer.receipt_item_id,
        });
    }
    if left == 0 { Ok(slices) } else { Err(Short::Layers) }
}

/// Cost of goods: none if it is not known, or known in several currencies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cost {
    pub amount: Option<Amount>,
    pub currency_code: Option<String>,
}

/// The cost of slices together. None where the sum leaves the range.
pub fn cost_of(slices: &[Slice]) -> Option<Cost> {
    add_costs(slices.iter().map(|slice| (slice.amount, &slice.currency_code)))
}

/// Costs together: not known where one is not, or where they are in several currencies. Nothing costs nothing, such as damaged
/// units. None where the sum leaves the range.
pub fn add_costs<'a>(costs: impl IntoIterator<Item = (Option<Amount>, &'a Option<String>)>) -> Option<Cost> {
    let (mut total, mut currency) = (Amount::ZERO, None);
    for (amount, code) in costs {
        match amount {
            Some(amount) if *currency.get_or_insert(code) == code => total = total.checked_add(amount)?,
            _ => return Some(Cost::default()),
        }
    }
    Some(Cost { amount: Some(total), currency_code: currency.cloned().flatten() })
}

#[cfg(test)]
mod tests {
    use stoa_sdk::Instant;

    use super::*;

    fn layer(seq: i64, quantity: &str, cost: Option<&str>) -> LayerRow {
        let quantity: Quantity = quantity.parse().unwrap();
        let unit_cost: Option<UnitCost> = cost.map(|cost| cost.parse().unwrap());
        LayerRow {
            id: Id(9, seq.unsigned_abs()),
            created_at: Instant(0),
            updated_at: Instant(0),
            legal_entity_id: Id(1, 1),
            variant_id: Id(2, 2),
            product_id: Id(3, 3),
            unit_id: None,
            seq,
            currency_code: cost.map(|_| "EUR".to_owned()),
            unit_cost,
            quantity,
            remaining: quantity,
            value: unit_cost.map(|cost| value(quantity, cost).unwrap()),
            spent: false,
            receipt_item_id: None,
            movement_id: None,
        }
    }

    fn total(slices: &[Slice]) -> Option<String> {
        cost_of(slices).unwrap().amount.map(|amount| amount.to_string())
    }

    #[test]
    fn the_oldest_go_first() {
        // [E64]
        let mut layers = [layer(1, "10", Some("1")), layer(2, "10", Some("2"))];
        let slices = draw(&mut layers, "15".parse().unwrap()).unwrap();
        assert_eq!(total(&slices).as_deref(), Some("20.000000000000"));
        assert_eq!((layers[0].spent, layers[0].value), (true, Some(Amount::ZERO)));
        assert_eq!((layers[1].spent, layers[1].remaining.to_string()), (false, "5.000000".to_owned()));
        assert_eq!(layers[1].value.unwrap().to_string(), "10.000000000000");
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        let mut layers = [layer(1, "1", None), layer(2, "1", Some("2"))];
        assert_eq!(total(&draw(&mut layers, "2".parse().unwrap()).unwrap()), None);
        assert_eq!(draw(&mut layers, "0.000001".parse().unwrap()), Err(Short::Layers));
        let mut two = [layer(1, "1", Some("1")), layer(2, "1", Some("2"))];
        two[1].currency_code = Some("USD".to_owned());
        assert_eq!(total(&draw(&mut two, "2".parse().unwrap()).unwrap()), None);
    }

    #[test]
    fn a_draw_touches_a_bounded_number_of_layers() {
        let mut layers: Vec<LayerRow> = (1..=501).map(|seq| layer(seq, "1", Some("1"))).collect();
        assert_eq!(draw(&mut layers.clone(), "501".parse().unwrap()), Err(Short::TooMany));
        assert_eq!(draw(&mut layers, "500".parse().unwrap()).unwrap().len(), 500);
    }

    #[test]
    fn extremes_are_exact() {
        // [E70]
        let most = "999999999999.999999";
        let mut layers = [layer(1, most, Some(most))];
        let one = draw(&mut layers, "0.000001".parse().unwrap()).unwrap();
        assert_eq!(total(&one).as_deref(), Some("999999.999999999999"));
        let rest = draw(&mut layers, "999999999999.999998".parse().unwrap()).unwrap();
        let sum = one[0].amount.unwrap().units() + rest[0].amount.unwrap().units();
        assert_eq!(Amount::from_units(sum).to_string(), "999999999999999998000000.000000000001");
        assert_eq!((layers[0].spent, layers[0].value), (true, Some(Amount::ZERO)));
    }
}
