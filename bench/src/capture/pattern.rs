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
    /// An id that every request makes anew: the nth of its request.
    Fresh(usize),
    /// The product that is read.
    Product,
    List,
    Variant,
    /// The nth of the variants that are ordered together.
    Ordered(usize),
    /// The number of a document that every request makes anew, or its key, which is in lower case.
    Number {
        is_key: bool,
    },
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
    /// Of reads of two products.
    pub fn of_reads(reads: [(Uuid, Vec<Exchange>); 2]) -> anyhow::Result<Pattern> {
        let [(_, first), (product, second)] = reads;
        Pattern::build(&[first, second], |values| match values {
            [_, Value::Id(id)] if *id == product => Some(Part::Product),
            _ => None,
        })
    }

    /// Of three price writes: the second differs from the first in its period alone, the third in list and variant.
    pub fn of_writes(writes: [(Price, Vec<Exchange>); 3]) -> anyhow::Result<Pattern> {
        let [(_, first), (price, second), (_, third)] = writes;
        let mut fresh: Vec<Uuid> = Vec::new();
        let micros = |ms: i64| ms * 1000;
        Pattern::build(&[first, second, third], |values| {
            let [first, second, third] = values else { return None };
            match second {
                Value::Id(id) if *id == price.list => Some(Part::List),
                Value::Id(id) if *id == price.variant => Some(Part::Variant),
                Value::Instant(at) if *at == micros(price.from) => Some(Part::From),
                Value::Instant(at) if *at == micros(price.to) => Some(Part::To),
                Value::Integer(at) if *at == price.from => Some(Part::From),
                Value::Integer(at) if *at == price.to => Some(Part::To),
                Value::Integer(_) if first == second && second != third => Some(Part::Pair),
                Value::Id(id) if first != second => Some(Part::Fresh(nth(&mut fresh, *id))),
                _ => None,
            }
        })
    }

    /// Of three adjustments that bring goods in: the first two of one variant, the third of another.
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

    /// Of three orders: the first two of the same variants, the third of others. `variants` and `number` are the second's.
    pub fn of_orders(variants: &[Uuid], number: &str, recordings: [Vec<Exchange>; 3]) -> anyhow::Result<Pattern> {
        let mut fresh: Vec<Uuid> = Vec::new();
        Pattern::build(&recordings, |values| {
            let [first, second, _] = values else { return None };
            match second {
                Value::Id(id) => match variants.iter().position(|variant| variant == id) {
                    Some(nth) => Some(Part::Ordered(nth)),
                    None => (first != second).then(|| Part::Fresh(nth(&mut fresh, *id))),
                },
                Value::Text(text) if text == number => Some(Part::Number { is_key: false }),
                Value::Text(text) if *text == number.to_lowercase() => Some(Part::Number { is_key: true }),
                _ => None,
            }
        })
    }

    /// What `judge` does not place is a constant, as in the second recording.
    fn build(
        recordings: &[Vec<Exchange>],
        mut judge: impl FnMut(&[&Value]) -> Option<Part>,
    ) -> anyhow::Result<Pattern> {
        let model = recordings.get(1).context("two recordings make a pattern")?;
        let mut exchanges = Vec::with_capacity(model.len());
        for (nth, exchange) in model.iter().enumerate() {
            let mut shapes = Vec::with_capacity(exchange.len());
            for (at, statement) in exchange.iter().enumerate() {
                let alike: Vec<_> = recordings.iter().filter_map(|recording| recording.get(nth)?.get(at)).collect();
                anyhow::ensure!(
                    alike.len() == recordings.len() && alike.iter().all(|other| other.sql == statement.sql),
                    "the recordings differ at `{}`",
                    statement.sql
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
        let short = |shape: &Shape| {
            let words: Vec<&str> = shape.sql.split_whitespace().collect();
            words.join(" ").chars().take(150).collect::<String>()
        };
        self.exchanges.iter().map(|shapes| shapes.iter().map(short).collect::<Vec<_>>().join(" ; ")).collect()
    }
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
            let element = |at: usize| {
                let elements: Vec<&Value> = lists.iter().filter_map(|list| list.get(at)).collect();
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
