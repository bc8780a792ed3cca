//! Ledgers whose figures are plain: each is the sum of a column of the lines, or counts the lines that have a value in
//! one. Such a ledger states each figure once; the amounts that its lines add, and how lines and totals are summed, follow from
//! it.

use std::marker::PhantomData;
use std::vec::IntoIter;

use stoa_sdk::store::{Agg, Aggregate, Measure, Row, Totals, Value, aggregate};
use stoa_sdk::{Column, Entity, Field, Filter, Id};

use super::{Days, Ledger, Part, SumOfDays, Summed, SumsByGroup, group_days, sum_days};
use crate::dates::Month;
use crate::quantity::{Amount, of_count};

/// A figure: what it is of the lines, and the counter of the totals that keeps it.
#[derive(Clone, Copy)]
pub struct Figure {
    op: Agg,
    line: &'static str,
    total: Column<Amount>,
}

impl Figure {
    /// The sum of a column of the lines.
    pub const fn sum<T>(line: Column<T>, total: Column<Amount>) -> Figure {
        Figure { op: Agg::Sum, line: line.name(), total }
    }

    /// The number of lines that have a value in a column.
    pub const fn count<T>(line: Column<Option<T>>, total: Column<Amount>) -> Figure {
        Figure { op: Agg::Count, line: line.name(), total }
    }
}

/// A ledger with plain figures: the functions and types below state the figures in place of its [`Ledger`].
pub trait PlainLedger<const N: usize>: Ledger<N> {
    /// Each figure, once.
    const PLAIN: [Figure; N];
}

/// A ledger with plain figures whose lines have the month of their day in a column.
pub trait MonthlyLines<const N: usize>: PlainLedger<N> {
    /// The month of a line's day.
    const LINE_MONTH: Column<Month>;
}

/// Declares a ledger with `N` plain figures: its lines, which are dated `on_date`, its totals, and the columns of both
/// by which totals differ, in addition to the legal entity and the month.
///
/// ```
/// # use stoa_sdk::{Date, Id, collection};
/// # use stoa_trade::dates::Month;
/// # use stoa_trade::plain_ledger;
/// # use stoa_trade::quantity::Amount;
/// # use stoa_trade::snapshot::Figure;
/// # collection! {
/// #     ledger VisitRow in "visit" { legal_entity_id: Id, shop: String, on_date: Date, spent: Amount }
/// # }
/// # collection! {
/// #     projection VisitTotalRow in "visit_total" { legal_entity_id: Id, shop: String, month: Month, spent: Amount }
/// #     unique { total: [legal_entity_id, shop, month] }
/// #     counters [spent]
/// # }
/// plain_ledger! {
///     /// Visits to shops.
///     Visits[1] of VisitRow in VisitTotalRow by [shop: String] {
///         Figure::sum(VisitRow::spent, VisitTotalRow::spent),
///     }
/// }
/// ```
#[macro_export]
macro_rules! plain_ledger {
    (
        $(#[$meta:meta])*
        $vis:vis $name:ident[$n:tt] of $row:ident in $total:ident by [$($key:ident: $key_type:ty),+]
        { $($figure:expr),+ $(,)? }
    ) => {
        $(#[$meta])*
        $vis struct $name;

        impl $crate::snapshot::PlainLedger<$n> for $name {
            const PLAIN: [$crate::snapshot::Figure; $n] = [$($figure),+];
        }

        #[allow(clippy::clone_on_copy, reason = "some columns are texts")]
        impl $crate::snapshot::Ledger<$n> for $name {
            type Row = $row;
            type Total = $total;
            type Group = ($($key_type,)+ $crate::dates::Month);
            type LineSums = $crate::snapshot::LineSums<$name, $n>;
            const LINE_ENTITY: ::stoa_sdk::Column<::stoa_sdk::Id> = $row::legal_entity_id;
            const LINE_ID: ::stoa_sdk::Column<::stoa_sdk::Id> = $row::id;
            const LINE_DAY: ::stoa_sdk::Column<::stoa_sdk::Date> = $row::on_date;
            const TOTAL_ENTITY: ::stoa_sdk::Column<::stoa_sdk::Id> = $total::legal_entity_id;
            const TOTAL_MONTH: ::stoa_sdk::Column<$crate::dates::Month> = $total::month;
            const FIGURES: [::stoa_sdk::Column<$crate::quantity::Amount>; $n] =
                $crate::snapshot::list_counters(<$name as $crate::snapshot::PlainLedger<$n>>::PLAIN);

            fn read_line(
                line: &$row,
            ) -> (::stoa_sdk::Id, ::stoa_sdk::Id, Self::Group, [$crate::quantity::Amount; $n]) {
                let group = ($(line.$key.clone(),)+ $crate::dates::Month::from_day(line.on_date));
                (line.id, line.legal_entity_id, group, $crate::snapshot::read_parts::<$name, $n>(line))
            }

            fn key(entity: ::stoa_sdk::Id, ($($key,)+ month): &Self::Group) -> ::stoa_sdk::store::Row {
                use ::stoa_sdk::Field;
                vec![entity.put(), $($key.put(),)+ month.put()]
            }

            fn read_total(total: &$total) -> (::stoa_sdk::Id, Self::Group, [$crate::quantity::Amount; $n]) {
                let group = ($(total.$key.clone(),)+ total.month);
                (total.legal_entity_id, group, $crate::snapshot::read_counters::<$name, $n>(total))
            }

            fn lines_of(($($key,)+ month): &Self::Group) -> ::stoa_sdk::Filter {
                ::stoa_sdk::all([$($row::$key.eq($key.clone()),)+ month.days_of($row::on_date)])
            }

            fn measure(filter: ::stoa_sdk::Filter) -> ::stoa_sdk::store::Aggregate<Self::LineSums> {
                $crate::snapshot::measure_lines::<$name, _, $n>(filter)
            }

            fn read_sums(sums: &Self::LineSums) -> [$crate::quantity::Amount; $n] {
                sums.figures
            }
        }
    };
}

/// The counters of the figures: [`Ledger::FIGURES`].
pub const fn list_counters<const N: usize>(figures: [Figure; N]) -> [Column<Amount>; N] {
    let mut counters = [Column::new(""); N];
    let mut nth = 0;
    while nth < N {
        counters[nth] = figures[nth].total;
        nth += 1;
    }
    counters
}

/// The part of a line in each figure: for [`Ledger::read_line`].
pub fn read_parts<L: PlainLedger<N>, const N: usize>(line: &L::Row) -> [Amount; N] {
    let values = line.write();
    L::PLAIN.map(|figure| match (figure.op, find_value::<L::Row>(&values, figure.line)) {
        (Agg::Count, value) => of_count(i64::from(value != Value::Null)),
        (_, value) => read_sum(value).unwrap_or(Amount::ZERO),
    })
}

/// The figures that a total keeps: for [`Ledger::read_total`].
pub fn read_counters<L: PlainLedger<N>, const N: usize>(total: &L::Total) -> [Amount; N] {
    let values = total.write();
    L::PLAIN.map(|figure| read_sum(find_value::<L::Total>(&values, figure.total.name())).unwrap_or(Amount::ZERO))
}

/// The value of a column, of those that an insert states.
fn find_value<E: Entity>(values: &Row, column: &str) -> Value {
    let place = E::INSERTED.iter().position(|name| *name == column);
    place.and_then(|place| values.get(place)).cloned().unwrap_or(Value::Null)
}

fn read_sum(value: Value) -> Option<Amount> {
    match value {
        Value::Null => Some(Amount::ZERO),
        Value::Integer(count) => Some(of_count(count)),
        // Whatever its scale: an amount has as many digits after the point as any column.
        value => Field::take(value),
    }
}

/// Measures lines; a figure that counts takes those that have a value: for [`Ledger::measure`].
pub fn measure_lines<L: PlainLedger<N>, T: Totals, const N: usize>(filter: Filter) -> Aggregate<T> {
    let counts = L::PLAIN.into_iter().filter(|figure| figure.op == Agg::Count);
    counts.fold(aggregate(filter), |measured, figure| {
        let has_value = Column::<Option<Amount>>::new(figure.line).not_null();
        measured.when(Measure::new(figure.total.name()), has_value)
    })
}

/// Name, operation and column of a measure.
type Measured = (&'static str, Agg, &'static str);

const fn list_measures<const N: usize>(figures: [Figure; N], of_totals: bool) -> [Measured; N] {
    let mut measures = [("", Agg::Sum, ""); N];
    let mut nth = 0;
    while nth < N {
        let Figure { op, line, total } = figures[nth];
        measures[nth] = match op {
            _ if of_totals => (total.name(), Agg::Sum, total.name()),
            Agg::Count => (total.name(), Agg::Count, ""),
            _ => (total.name(), op, line),
        };
        nth += 1;
    }
    measures
}

/// Sums of the figures of lines or totals, with the key of their group.
macro_rules! sums {
    (
        $(#[$meta:meta])* $name:ident of $ledger:ident $entity:ident by [$($month:ident)?],
        $key:ty = $read:expr, of_totals: $of_totals:literal
    ) => {
        $(#[$meta])*
        pub struct $name<L, const N: usize> {
            /// The group of which they are.
            pub key: $key,
            /// In the order in which the ledger states them.
            pub figures: [Amount; N],
            ledger: PhantomData<fn() -> L>,
        }

        impl<L: $ledger<N>, const N: usize> Totals for $name<L, N> {
            type Entity = L::$entity;
            const KEYS: &'static [&'static str] = &[$(L::$month.name())?];
            const MEASURES: &'static [Measured] = &list_measures(L::PLAIN, $of_totals);

            fn read(row: Row) -> Option<Self> {
                let read_key: fn(&mut IntoIter<Value>) -> Option<$key> = $read;
                let mut values = row.into_iter();
                let key = read_key(&mut values)?;
                let figures = values.map(read_sum).collect::<Option<Vec<_>>>()?.try_into().ok()?;
                Some($name { key, figures, ledger: PhantomData })
            }
        }
    };
}

sums! {
    /// The figures of lines: [`Ledger::LineSums`].
    LineSums of PlainLedger Row by [], () = |_| Some(()), of_totals: false
}

sums! {
    /// The figures of totals.
    TotalSums of PlainLedger Total by [], () = |_| Some(()), of_totals: true
}

sums! {
    /// The figures of lines, by month.
    LineMonths of MonthlyLines Row by [LINE_MONTH], Month = |values| Month::take(values.next()?), of_totals: false
}

sums! {
    /// The figures of totals, by month.
    TotalMonths of PlainLedger Total by [TOTAL_MONTH], Month = |values| Month::take(values.next()?), of_totals: true
}

/// Figures by month; see [`sum_months`].
pub type MonthSums<L, const N: usize> = SumsByGroup<TotalMonths<L, N>, LineMonths<L, N>, Month, N>;

/// The lines that meet a filter, with their figures.
fn line_part<L: PlainLedger<N>, T: Totals + 'static, A, const N: usize>(
    filter: Filter,
    figures: fn(T) -> A,
) -> Part<'static, T, A> {
    Part { filter, measure: &measure_lines::<L, T, N>, figures }
}

/// Sums what an entity's ledger has on these days, by month. `totals` and `lines` say of which totals and lines, but
/// for entity and days.
pub fn sum_months<L: MonthlyLines<N>, const N: usize>(
    entity: Id,
    summed: Option<Summed>,
    days: Days,
    totals: Filter,
    lines: Filter,
) -> MonthSums<L, N> {
    group_days::<L, _, _, _, N, N>(
        entity,
        summed,
        days,
        Part { filter: totals, measure: &aggregate, figures: |sums: TotalMonths<L, N>| (sums.key, sums.figures) },
        line_part::<L, _, _, N>(lines, |sums: LineMonths<L, N>| (sums.key, sums.figures)),
    )
}

/// Figures of days; see [`sum_figures`].
pub type FigureSums<L, const N: usize> = SumOfDays<TotalSums<L, N>, LineSums<L, N>, N>;

/// Sums what an entity's ledger has on these days, all months together; see [`sum_months`].
pub fn sum_figures<L: PlainLedger<N>, const N: usize>(
    entity: Id,
    summed: Option<Summed>,
    days: Days,
    totals: Filter,
    lines: Filter,
) -> FigureSums<L, N> {
    sum_days::<L, _, _, N, N>(
        entity,
        summed,
        days,
        Part { filter: totals, measure: &aggregate, figures: |sums: TotalSums<L, N>| (sums.key, sums.figures) },
        line_part::<L, _, _, N>(lines, |sums: LineSums<L, N>| (sums.key, sums.figures)),
    )
}
