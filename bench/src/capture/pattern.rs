//! From several recordings of one operation to its pattern: what stays the same and what each request brings.

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Exchange, Value};
use crate::company::Price;

/// Where a value of a statement comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Part {
    Constant(Value),
    /// An id that every request creates: the nth of its request.
    Fresh(usize),
    /// The product that is read.
    Product,
    List,
    Variant,
    /// The nth of the variants that are ordered together.
    Ordered(usize),
    /// The number of a document that every request creates, or its key, which is in lower case.
    Number {
        is_key: bool,
    },
    /// A text that contains an id that every request creates.
    Naming {
        before: String,
        nth: usize,
        after: String,
    },
    /// The version of a cash session before the request, and so much.
    SessionVersion(i64),
    From,
    To,
    /// A number that depends on list and variant: the name of a lock.
    Pair,
    Many(String, Vec<Part>),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Shape {
    pub sql: String,
    pub parts: Vec<Part>,
}

/// The statements of one request, by message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Pattern {
    pub exchanges: Vec<Vec<Shape>>,
}

impl Pattern {
    /// The pattern of reads of two products.
    pub fn of_reads(reads: [(Uuid, Vec<Exchange>); 2]) -> anyhow::Result<Pattern> {
        let [(_, first), (product, second)] = reads;
        Pattern::build(&[first, second], |values| match values {
            [_, Value::Id(id)] if *id == product => Some(Part::Product),
            _ => None,
        })
    }

    /// The pattern of three price writes: the second differs from the first in its period only, the third in list and variant.
    pub fn of_writes(writes: [(Price, Vec<Exchange>); 3]) -> anyhow::Result<Pattern> {
        let [(_, first), (price, second), (_, third)] = writes;
        let mut fresh: Vec<Uuid> = Vec::new();
        let micros = |ms: i64| ms * 1000;
        Pattern::build(&[first, second, third], |values| {
            let [first, second, third] = values else { return None };
            match second {
                Value::Id(id) if *id == price.list => Some(Part::List),
                Value::Id(id) if *id == price.variant => Some(Part::Variant),
                Value::Instant(instant) if *instant == micros(price.from) => Some(Part::From),
                Value::Instant(instant) if *instant == micros(price.to) => Some(Part::To),
                Value::Integer(millis) if *millis == price.from => Some(Part::From),
                Value::Integer(millis) if *millis == price.to => Some(Part::To),
                Value::Integer(_) if first == second && second != third => Some(Part::Pair),
                Value::Id(id) if first != second => Some(Part::Fresh(nth(&mut fresh, *id))),
                _ => None,
            }
        })
    }

    /// The pattern of three adjustments that bring goods in: the first two of one variant, the third of another.
    pub fn of_adjustments(variant: Uuid, recordings: [Vec<Exchange>; 3]) -> anyhow::Result<Pattern> {
        let mut fresh: Vec<Uuid> = Vec::new();
        Pattern::build(&recordings, |values| {
            let [first, second, _] = values else { return None };
            match second {
                Value::Id(id) if *id == variant => Some(Part::Variant),
                Value::Id(id) if first != second => Some(Part::Fresh(nth(&mut fresh, *id))),
                _ => None,
            }
        })
    }

    /// The pattern of three orders: the first two of the same variants, the third of others. `variants` and `number`
    /// are the second's.
    pub fn of_orders(variants: &[Uuid], number: &str, recordings: [Vec<Exchange>; 3]) -> anyhow::Result<Pattern> {
        let mut fresh: Vec<Uuid> = Vec::new();
        Pattern::build(&recordings, |values| place_of_order(values, variants, number, &mut fresh))
    }

    /// The pattern of three orders in the same way, each checked out in one session right after the one before. `version`: of the
    /// session, before the second.
    pub fn of_checkouts(
        variants: &[Uuid],
        number: &str,
        version: i64,
        recordings: [Vec<Exchange>; 3],
    ) -> anyhow::Result<Pattern> {
        let mut fresh: Vec<Uuid> = Vec::new();
        Pattern::build(&recordings, |values| {
            let [first, second, third] = values else { return None };
            match (first, second, third) {
                (Value::Integer(before), Value::Integer(current), Value::Integer(after))
                    if [*before, *after] == [current - 1, current + 1] && (0..=1).contains(&(current - version)) =>
                {
                    Some(Part::SessionVersion(current - version))
                }
                (Value::Text(other), Value::Text(text), _) if other != text && text.len() < LONG_TEXT => {
                    place_of_order(values, variants, number, &mut fresh).or_else(|| place_of_text(text, &mut fresh))
                }
                _ => place_of_order(values, variants, number, &mut fresh),
            }
        })
    }

    /// A value that `judge` does not place is a constant, as in the second recording. An exchange without statements
    /// prepared one, on a connection that had not met it.
    fn build(
        recordings: &[Vec<Exchange>],
        mut judge: impl FnMut(&[&Value]) -> Option<Part>,
    ) -> anyhow::Result<Pattern> {
        let without_preparing =
            |recording: &Vec<Exchange>| recording.iter().filter(|said| !said.is_empty()).cloned().collect();
        let recordings: Vec<Vec<Exchange>> = recordings.iter().map(without_preparing).collect();
        let model = recordings.get(1).context("two recordings make a pattern")?;
        let mut exchanges = Vec::with_capacity(model.len());
        for (nth, exchange) in model.iter().enumerate() {
            let mut shapes = Vec::with_capacity(exchange.len());
            for (index, statement) in exchange.iter().enumerate() {
                let alike: Vec<_> = recordings.iter().filter_map(|recording| recording.get(nth)?.get(index)).collect();
                anyhow::ensure!(
                    alike.len() == recordings.len() && alike.iter().all(|other| other.sql == statement.sql),
                    "the recordings differ at message {nth}, statement {index}: {:#?}",
                    recordings.iter().map(|recording| recording.get(nth).map(describe)).collect::<Vec<_>>()
                );
                let mut parts = Vec::with_capacity(statement.values.len());
                for place in 0..statement.values.len() {
                    let values: Vec<&Value> = alike.iter().filter_map(|other| other.values.get(place)).collect();
                    parts.push(part(&values, &mut judge));
                }
                shapes.push(Shape { sql: statement.sql.clone(), parts });
            }
            exchanges.push(shapes);
        }
        Ok(Pattern { exchanges })
    }

    pub fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.exchanges.iter().flatten()
    }

    /// A line for each message, for people.
    pub fn outline(&self) -> Vec<String> {
        let line = |shapes: &Vec<Shape>| shapes.iter().map(|shape| short(&shape.sql)).collect::<Vec<_>>().join(" ; ");
        self.exchanges.iter().map(line).collect()
    }
}

/// The beginnings of its statements, for people.
fn describe(exchange: &Exchange) -> Vec<String> {
    exchange.iter().map(|statement| short(&statement.sql)).collect()
}

/// The beginning of a statement, for people.
pub fn short(sql: &str) -> String {
    let words: Vec<&str> = sql.split_whitespace().collect();
    words.join(" ").chars().take(150).collect()
}

/// A text of this many bytes is a document's, such as a stored answer.
const LONG_TEXT: usize = 200;

/// Where a value of an order comes from, by the first two of three orders, which are of the same variants.
fn place_of_order(values: &[&Value], variants: &[Uuid], number: &str, fresh: &mut Vec<Uuid>) -> Option<Part> {
    let [first, second, _] = values else { return None };
    match second {
        Value::Id(id) => match variants.iter().position(|variant| variant == id) {
            Some(nth) => Some(Part::Ordered(nth)),
            None => (first != second).then(|| Part::Fresh(nth(fresh, *id))),
        },
        Value::Text(text) if text == number => Some(Part::Number { is_key: false }),
        Value::Text(text) if *text == number.to_lowercase() => Some(Part::Number { is_key: true }),
        _ => None,
    }
}

/// A text that names an id.
fn place_of_text(text: &str, fresh: &mut Vec<Uuid>) -> Option<Part> {
    const UUID: usize = 36;
    let mut places = (0..text.len()).filter_map(|offset| Some((offset, text.get(offset..offset + UUID)?)));
    let (offset, id) = places.find_map(|(offset, part)| Some((offset, Uuid::try_parse(part).ok()?)))?;
    let (before, after) = (text.get(..offset)?.to_owned(), text.get(offset + UUID..)?.to_owned());
    Some(Part::Naming { before, nth: nth(fresh, id), after })
}

/// Which of the ids that a request makes.
fn nth(fresh: &mut Vec<Uuid>, id: Uuid) -> usize {
    fresh.iter().position(|earlier| *earlier == id).unwrap_or_else(|| {
        fresh.push(id);
        fresh.len() - 1
    })
}

fn part(values: &[&Value], judge: &mut impl FnMut(&[&Value]) -> Option<Part>) -> Part {
    if let Some(part) = judge(values) {
        return part;
    }
    let second = values.get(1).copied();
    let lists: Vec<&Vec<Value>> = values
        .iter()
        .filter_map(|value| match value {
            Value::List(_, items) => Some(items),
            _ => None,
        })
        .collect();
    match second {
        Some(Value::List(type_, items))
            if lists.len() == values.len() && lists.iter().all(|other| other.len() == items.len()) =>
        {
            let element = |index: usize| {
                let elements: Vec<&Value> = lists.iter().filter_map(|list| list.get(index)).collect();
                part(&elements, judge)
            };
            let parts: Vec<Part> = (0..items.len()).map(element).collect();
            // One value of the statement, as it is to the host: pgbench binds few.
            let is_constant = |part: &Part| matches!(part, Part::Constant(value) if !matches!(value, Value::Raw(_)));
            match second {
                Some(list) if parts.iter().all(is_constant) => Part::Constant(list.clone()),
                _ => Part::Many(type_.clone(), parts),
            }
        }
        Some(value) => Part::Constant(value.clone()),
        None => Part::Constant(Value::Null(String::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_part(values: [Value; 3]) -> Part {
        let statement = |value| super::super::Statement { sql: "select $1".to_owned(), values: vec![value] };
        let recordings = values.map(|value| vec![vec![statement(value)]]);
        let pattern = Pattern::of_checkouts(&[], "SO-1", 7, recordings).unwrap();
        pattern.shapes().next().unwrap().parts[0].clone()
    }

    #[test]
    fn counts_of_a_session_are_distinguished_from_constants() {
        assert_eq!(find_part([6, 7, 8].map(Value::Integer)), Part::SessionVersion(0));
        assert_eq!(find_part([7, 8, 9].map(Value::Integer)), Part::SessionVersion(1));
        assert_eq!(find_part([7, 7, 7].map(Value::Integer)), Part::Constant(Value::Integer(7)));
        assert_eq!(find_part([8, 9, 10].map(Value::Integer)), Part::Constant(Value::Integer(9)));
    }

    #[test]
    fn a_number_that_names_its_document_is_every_request_s_own() {
        let text = |n: u128| Value::Text(format!("POS-{}-1", Uuid::from_u128(n)));
        let expected = Part::Naming { before: "POS-".to_owned(), nth: 0, after: "-1".to_owned() };
        assert_eq!(find_part([text(1), text(2), text(3)]), expected);
        assert_eq!(find_part([text(1), text(1), text(1)]), Part::Constant(text(1)));
    }
}
