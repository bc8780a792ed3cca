//! Collections as Rust structs: one declaration gives the row type, its typed columns and the descriptor.

use stoa_descriptor as descriptor;

use crate::bindings::commerce::platform::store::Row;
use crate::id::Id;
use crate::instant::Instant;

/// A struct that reads some columns of a collection, or all.
pub trait View: Sized {
    /// The collection that is read.
    type Entity: Entity;
    /// Empty: every column.
    const COLUMNS: &'static [&'static str];

    /// None where the row has other columns.
    fn read(row: Row) -> Option<Self>;
}

/// A struct that is a whole row of a collection.
pub trait Entity: View<Entity = Self> {
    /// As the descriptor and the store calls spell it.
    const NAME: &'static str;
    /// Columns that an insert states: the id and the module's own.
    const INSERTED: &'static [&'static str];
    /// Every column, in the order in which rows are read.
    const ALL: &'static [&'static str];
    /// Columns that keep their value for ever.
    const FIXED: &'static [&'static str];
    /// Columns that callers know by another name than their own in camelCase.
    const MEMBERS: &'static [(&'static str, &'static str)];

    /// The row's id.
    fn id(&self) -> Id;
    /// The row as the host leaves it after one more change at this instant: `updated_at`, and `version` on records.
    fn touch(&mut self, now: Instant);

    /// The values of `INSERTED`.
    fn write(&self) -> Row;
    /// Its collection in the descriptor.
    fn collection() -> descriptor::Collection;
}

/// A row with a version: of kind `record`.
pub trait Record: Entity {
    /// 1 when the row is new; each change adds 1.
    fn version(&self) -> i64;
}

/// Declares a collection. The struct gets `id`, `version` (records), `created_at` and `updated_at` before the columns listed,
/// and a typed [`Column`](crate::Column) of the same name for each: `Product::name`.
///
/// ```text
/// collection! {
///     pub record Product in "product" {
///         name: String,
///         slug: Option<String>,
///         decimal_places: i64 = 0,            // a default makes a required column additive
///     }
///     unique { slug: [slug] }
///     index { [name] }
///     search { text: [name, slug] }
///     checks { places: [decimal_places >= 0] }
///     lock_order [name]
///     counters [decimal_places]
///     derived [slug]                          // null after a change by a version that does not declare it; `upgrade` fills it
///     fixed [slug]                            // no change of a row may touch it
///     members { decimal_places: "decimals" }  // what callers call a column, where it is not `decimalPlaces`
/// }
/// ```
/// The kind is `record`, `ledger` or `projection`; the sections after the columns may be left out but keep this order.
#[macro_export]
macro_rules! collection {
    ($(#[$meta:meta])* $vis:vis record $($rest:tt)*) => {
        $crate::collection! {
            @row [$(#[$meta])* $vis] Record
            [id: $crate::Id, version: i64, created_at: $crate::Instant, updated_at: $crate::Instant] $($rest)*
        }
    };
    ($(#[$meta:meta])* $vis:vis ledger $($rest:tt)*) => {
        $crate::collection! {
            @row [$(#[$meta])* $vis] Ledger [id: $crate::Id, created_at: $crate::Instant, updated_at: $crate::Instant] $($rest)*
        }
    };
    ($(#[$meta:meta])* $vis:vis projection $($rest:tt)*) => {
        $crate::collection! {
            @row [$(#[$meta])* $vis] Projection [id: $crate::Id, created_at: $crate::Instant, updated_at: $crate::Instant] $($rest)*
        }
    };
    (
        @row [$(#[$meta:meta])* $vis:vis] $kind:ident [$($host:ident: $host_type:ty),*] $name:ident in $table:literal {
            $($(#[$field_meta:meta])* $field:ident: $type:ty $(= $default:expr)?),* $(,)?
        }
        $(unique { $($unique:ident: [$($unique_column:ident),+]),* $(,)? })?
        $(index { $([$($index_column:ident),+]),* $(,)? })?
        $(search { $($search:ident: [$($search_column:ident),+]),* $(,)? })?
        $(checks { $($check:ident: [$($left:ident $op:tt $right:tt),+]),* $(,)? })?
        $(lock_order [$($lock_column:ident),+])?
        $(counters [$($counter:ident),+])?
        $(derived [$($derived:ident),+])?
        $(fixed [$($fixed:ident),+])?
        $(members { $($renamed:ident: $member:literal),+ $(,)? })?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        $vis struct $name {
            $(pub $host: $host_type,)*
            $($(#[$field_meta])* pub $field: $type,)*
        }

        #[allow(non_upper_case_globals, dead_code)]
        impl $name {
            $(pub const $host: $crate::Column<$host_type> = $crate::Column::new(stringify!($host));)*
            $(pub const $field: $crate::Column<$type> = $crate::Column::new(stringify!($field));)*
        }

        impl $crate::View for $name {
            type Entity = Self;
            const COLUMNS: &'static [&'static str] = &[];

            fn read(row: $crate::store::Row) -> Option<Self> {
                let mut values = row.into_iter();
                let row = $name {
                    $($host: $crate::Field::take(values.next()?)?,)*
                    $($field: $crate::Field::take(values.next()?)?,)*
                };
                values.next().is_none().then_some(row)
            }
        }

        impl $crate::Entity for $name {
            const NAME: &'static str = $table;
            const INSERTED: &'static [&'static str] = &["id", $(stringify!($field)),*];
            const ALL: &'static [&'static str] = &[$(stringify!($host),)* $(stringify!($field)),*];

            const FIXED: &'static [&'static str] = &[$($($name::$fixed.name()),+)?];
            const MEMBERS: &'static [(&'static str, &'static str)] = &[$($(($name::$renamed.name(), $member)),+)?];

            fn id(&self) -> $crate::Id {
                self.id
            }

            fn touch(&mut self, now: $crate::Instant) {
                $crate::collection!(@touch $kind self now);
            }

            fn write(&self) -> $crate::store::Row {
                vec![$crate::Field::put(&self.id), $($crate::Field::put(&self.$field)),*]
            }

            fn collection() -> $crate::descriptor::Collection {
                let derived: &[&str] = &[$($($name::$derived.name()),+)?];
                $crate::descriptor::Collection {
                    name: $table.to_owned(),
                    kind: $crate::descriptor::Kind::$kind,
                    columns: vec![$($crate::descriptor::Column {
                        name: stringify!($field).to_owned(),
                        type_: <$type as $crate::Field>::TYPE,
                        nullable: <$type as $crate::Field>::NULLABLE,
                        default: $crate::collection!(@default $($default)?),
                        derived: derived.contains(&stringify!($field)),
                    }),*],
                    unique: vec![$($($crate::descriptor::Unique {
                        name: stringify!($unique).to_owned(),
                        columns: vec![$($name::$unique_column.name().to_owned()),+],
                    }),*)?],
                    indexes: vec![$($(vec![$($name::$index_column.name().to_owned()),+]),*)?],
                    search: vec![$($($crate::descriptor::Search {
                        name: stringify!($search).to_owned(),
                        columns: vec![$($name::$search_column.name().to_owned()),+],
                    }),*)?],
                    checks: vec![$($($crate::descriptor::Check {
                        name: stringify!($check).to_owned(),
                        all: vec![$($crate::descriptor::Comparison {
                            column: $name::$left.name().to_owned(),
                            op: $crate::collection!(@op $op),
                            right: $crate::collection!(@operand $right),
                        }),+],
                    }),*)?],
                    lock_order: vec![$($($name::$lock_column.name().to_owned()),+)?],
                    counters: vec![$($($name::$counter.name().to_owned()),+)?],
                }
            }
        }

        $crate::collection! { @versioned $kind $name }
    };
    (@touch Record $row:ident $now:ident) => {
        $row.version += 1;
        $row.updated_at = $now;
    };
    (@touch $kind:ident $row:ident $now:ident) => {
        $row.updated_at = $now;
    };
    (@versioned Record $name:ident) => {
        impl $crate::Record for $name {
            fn version(&self) -> i64 {
                self.version
            }
        }
    };
    (@versioned $kind:ident $name:ident) => {};
    (@default) => { None };
    (@default $default:expr) => { Some($crate::macros::serde_json::json!($default)) };
    (@op >=) => { $crate::descriptor::CheckOp::AtLeast };
    (@op <=) => { $crate::descriptor::CheckOp::AtMost };
    (@operand $column:ident) => { $crate::descriptor::Operand::Column(stringify!($column).to_owned()) };
    (@operand $constant:literal) => { $crate::descriptor::Operand::Constant(stringify!($constant).to_owned()) };
}

/// Declares a struct that reads some columns of a collection: `view! { pub ProductHead of Product { id: Id, name: String } }`.
#[macro_export]
macro_rules! view {
    ($(#[$meta:meta])* $vis:vis $name:ident of $entity:ident { $($field:ident: $type:ty),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        $vis struct $name { $(pub $field: $type),+ }

        impl $crate::View for $name {
            type Entity = $entity;
            const COLUMNS: &'static [&'static str] = {
                $(let _: $crate::Column<$type> = $entity::$field;)+
                &[$(stringify!($field)),+]
            };

            fn read(row: $crate::store::Row) -> Option<Self> {
                let mut values = row.into_iter();
                let row = $name { $($field: $crate::Field::take(values.next()?)?),+ };
                values.next().is_none().then_some(row)
            }
        }
    };
}

/// Names of columns of a row, as an update or an insert lists them.
#[macro_export]
macro_rules! column_names {
    ($row:ident { $($column:ident),+ $(,)? }) => {
        &[$($row::$column.name()),+]
    };
}

/// The collections of a module for its manifest, by their rows.
#[macro_export]
macro_rules! collections {
    ($($row:ty),* $(,)?) => {
        &[$(<$row as $crate::Entity>::collection),*]
    };
}
