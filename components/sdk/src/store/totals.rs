//! Counts and sums, answered by name: a struct declared by [`totals!`](crate::totals) says what is grouped and measured.

use std::marker::PhantomData;

use super::read::All;
use super::{Agg, Batch, Call, Failure, MOST_ROWS, Replies, Reply, Row, Rows, Value, names};
use crate::bindings::commerce::platform::store::{self, AggregateCall};
use crate::collection::Entity;
use crate::decimal::Decimal;
use crate::field::Field;
use crate::filter::{Filter, all};
use crate::host::fault;

/// A struct that holds one group: the columns it is grouped by, and its measures. Declared by [`totals!`](crate::totals).
pub trait Totals: Sized {
    /// The collection that is measured.
    type Entity: Entity;
    /// The columns of a group.
    const KEYS: &'static [&'static str];
    /// Name, operation and column of each measure; a count has no column.
    const MEASURES: &'static [(&'static str, Agg, &'static str)];

    /// None where the row has another shape.
    fn read(row: Row) -> Option<Self>;
}

/// A type that a measure can be. Where no row is measured a count or sum is zero, and the lowest or highest value is None.
pub trait Total: Sized {
    /// None where the store answered a value of another type.
    fn take(value: Value) -> Option<Self>;
}

impl Total for i64 {
    fn take(value: Value) -> Option<i64> {
        match value {
            Value::Null => Some(0),
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }
}

impl<const SCALE: u32, const DIGITS: u8> Total for Decimal<SCALE, DIGITS> {
    fn take(value: Value) -> Option<Self> {
        match value {
            Value::Null => Some(Decimal::ZERO),
            value => Field::take(value),
        }
    }
}

impl<T: Field> Total for Option<T> {
    fn take(value: Value) -> Option<Self> {
        Field::take(value)
    }
}

/// The name of a measure of `T`, for its condition; [`totals!`](crate::totals) declares one for each.
pub struct Measure<T> {
    name: &'static str,
    value: PhantomData<fn() -> T>,
}

impl<T> Measure<T> {
    /// For the macro: the measure of this name.
    pub const fn new(name: &'static str) -> Self {
        Measure { name, value: PhantomData }
    }
}

/// Groups and what is measured of each; see [`aggregate`].
pub struct Aggregate<T> {
    filter: Filter,
    conditions: Vec<(&'static str, Filter)>,
    keep_zero: bool,
    after: Option<Row>,
    totals: PhantomData<fn() -> T>,
}

/// Measures the rows that meet the filter. How many groups are wanted must be said, by [`Aggregate::one`],
/// [`Aggregate::whole`] or [`Aggregate::limit`].
pub fn aggregate<T: Totals>(filter: Filter) -> Aggregate<T> {
    Aggregate { filter, conditions: Vec::new(), keep_zero: true, after: None, totals: PhantomData }
}

impl<T: Totals> Aggregate<T> {
    /// This measure takes only rows that meet the condition.
    pub fn when(mut self, measure: Measure<T>, condition: Filter) -> Self {
        self.conditions.push((measure.name, condition));
        self
    }

    /// Every measure takes only rows that meet the condition.
    pub fn when_each(mut self, condition: &Filter) -> Self {
        self.conditions.extend(T::MEASURES.iter().map(|(name, ..)| (*name, condition.clone())));
        self
    }

    /// Leaves out groups whose sums are all zero.
    pub fn without_zeros(mut self) -> Self {
        self.keep_zero = false;
        self
    }

    /// Only groups after this one, given as the values of the columns it is grouped by, all of them required columns.
    pub fn after(mut self, group: Option<Row>) -> Self {
        self.after = group;
        self
    }

    /// At most this many groups, and whether more follow.
    pub fn limit(self, limit: u32) -> LimitedTotals<T> {
        LimitedTotals { aggregate: self, limit }
    }

    /// Every group; more than 2,000 are a failure.
    pub fn whole(self) -> WholeTotals<T> {
        All(self.limit(MOST_ROWS))
    }

    /// The one group of what is grouped by nothing.
    pub fn one(self) -> OneTotal<T> {
        const { assert!(T::KEYS.is_empty(), "what is grouped has many groups") };
        OneTotal(self.limit(1))
    }
}

/// The first groups; see [`Aggregate::limit`].
pub struct LimitedTotals<T> {
    aggregate: Aggregate<T>,
    limit: u32,
}

impl<T: Totals> Batch for LimitedTotals<T> {
    type Answer = Rows<T>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        let Aggregate { filter, conditions, keep_zero, after, .. } = &mut self.aggregate;
        let measure = |(name, op, column): &(&str, Agg, &str)| {
            let of_it =
                conditions.iter_mut().filter(|(measured, _)| measured == name).map(|(_, when)| std::mem::take(when));
            store::Measure { op: *op, column: (*column).to_owned(), when: all(of_it).0 }
        };
        calls.push(Call::Aggregate(AggregateCall {
            collection: T::Entity::NAME.to_owned(),
            measures: T::MEASURES.iter().map(measure).collect(),
            where_: std::mem::take(&mut filter.0),
            by: names(T::KEYS),
            keep_zero: *keep_zero,
            after: after.take(),
            limit: self.limit,
        }));
    }

    fn read(self, replies: &mut Replies) -> Result<Rows<T>, Failure> {
        Ok(replies.take(|reply| match reply {
            Reply::Rows(page) => {
                let items = page.rows.into_iter().map(T::read).collect::<Option<_>>()?;
                Some(Rows { items, more: page.more, reached: None })
            }
            _ => None,
        }))
    }
}

/// Every group; see [`Aggregate::whole`].
pub type WholeTotals<T> = All<LimitedTotals<T>>;

/// The totals of all rows; see [`Aggregate::one`].
pub struct OneTotal<T>(LimitedTotals<T>);

impl<T: Totals> Batch for OneTotal<T> {
    type Answer = T;

    fn push(&mut self, calls: &mut Vec<Call>) {
        self.0.push(calls);
    }

    fn read(self, replies: &mut Replies) -> Result<T, Failure> {
        match self.0.read(replies)?.items.into_iter().next() {
            Some(totals) => Ok(totals),
            None => fault("totals of nothing are no row"),
        }
    }
}

/// Declares what is measured of a collection, and by which columns it is grouped:
///
/// ```
/// # use stoa_sdk::{Decimal, Id, collection, totals};
/// # collection! { pub projection StockRow in "stock" { variant_id: Id, on_hand: Decimal<6>, reserved: Decimal<6> } }
/// totals! {
///     /// The stock of a variant in all warehouses.
///     pub VariantStock of StockRow by [variant_id: Id] {
///         on_hand: Decimal<6> = sum(on_hand),
///         rows: i64 = count,
///         least: Option<Decimal<6>> = min(reserved),
///     }
/// }
/// // run(aggregate::<VariantStock>(filter).when(VariantStock::rows, StockRow::on_hand.gt(Decimal::ZERO)).whole())
/// ```
/// A measure is `count`, `sum(column)`, `min(column)` or `max(column)`.
#[macro_export]
macro_rules! totals {
    (
        $(#[$meta:meta])* $vis:vis $name:ident of $entity:ident by [$($key:ident: $key_type:ty),* $(,)?] {
            [$($measure:ident),+ $(,)?]: $type:ty = $op:ident($column:ident) $(,)?
        }
    ) => {
        $crate::totals! {
            $(#[$meta])* $vis $name of $entity by [$($key: $key_type),*] { $($measure: $type = $op($column)),+ }
        }
    };
    (
        $(#[$meta:meta])* $vis:vis $name:ident of $entity:ident by [$($key:ident: $key_type:ty),* $(,)?] {
            $($(#[$measure_meta:meta])* $measure:ident: $type:ty = $op:ident $(($column:ident))?),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        $vis struct $name {
            $(pub $key: $key_type,)*
            $($(#[$measure_meta])* pub $measure: $type,)+
        }

        #[allow(non_upper_case_globals, dead_code)]
        impl $name {
            $(pub const $measure: $crate::store::Measure<$name> = $crate::store::Measure::new(stringify!($measure));)+
        }

        impl $crate::store::Totals for $name {
            type Entity = $entity;
            const KEYS: &'static [&'static str] = {
                $(let _: $crate::Column<$key_type> = $entity::$key;)*
                &[$(stringify!($key)),*]
            };
            const MEASURES: &'static [(&'static str, $crate::store::Agg, &'static str)] =
                &[$((stringify!($measure), $crate::totals!(@op $op), $crate::totals!(@column $entity $($column)?))),+];

            fn read(row: $crate::store::Row) -> Option<Self> {
                let mut values = row.into_iter();
                let totals = $name {
                    $($key: $crate::Field::take(values.next()?)?,)*
                    $($measure: $crate::store::Total::take(values.next()?)?,)+
                };
                values.next().is_none().then_some(totals)
            }
        }
    };
    (@op count) => { $crate::store::Agg::Count };
    (@op sum) => { $crate::store::Agg::Sum };
    (@op min) => { $crate::store::Agg::Min };
    (@op max) => { $crate::store::Agg::Max };
    (@column $entity:ident) => { "" };
    (@column $entity:ident $column:ident) => { $entity::$column.name() };
}
