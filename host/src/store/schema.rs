//! A module's collections, checked once and resolved to indexes, with every name that SQL needs already quoted.
//! Identifiers reach SQL text from here only; a call's names are looked up, never written.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};
use stoa_descriptor::{CheckOp, Collection, ColumnType, Kind, Operand};

use super::datum::Datum;
use super::decimal;

/// A module's tables by collection name.
#[derive(Debug)]
pub struct Tables {
    pub(super) module: String,
    pub(super) tables: Vec<Table>,
    by_name: HashMap<String, usize>,
    /// As declared: what the host records on activation.
    pub(super) declared: Vec<Collection>,
}

#[derive(Debug)]
pub(super) struct Table {
    pub name: String,
    /// Without quotes: `catalog_product`.
    pub bare: String,
    /// Quoted.
    pub sql: String,
    pub kind: Kind,
    /// The host's first (`host` of them), then as declared.
    pub columns: Vec<Column>,
    pub host: usize,
    pub by_name: HashMap<String, usize>,
    pub unique: Vec<Key>,
    pub indexes: Vec<Key>,
    pub search: Vec<Group>,
    pub checks: Vec<Check>,
    /// Ends with the id.
    pub lock_order: Vec<usize>,
    pub counters: HashSet<usize>,
}

#[derive(Debug)]
pub(super) struct Column {
    pub name: String,
    pub sql: String,
    pub type_: ColumnType,
    pub nullable: bool,
    pub default: Option<Datum>,
    /// The quoted name of a derived column's mark. A change by a version that declares the column flips the mark. A
    /// version without the column leaves the mark, and a trigger makes the column null: the database decides that with
    /// the change itself, whichever version made it, on whichever host, and however long ago that request began.
    pub mark: Option<String>,
}

#[derive(Debug)]
pub(super) struct Key {
    pub name: String,
    /// Name of the index in the database.
    pub index: String,
    pub columns: Vec<usize>,
    /// The column whose nulls the index leaves out: no query looks for them there, and most rows may have no value.
    pub not_null: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Group {
    pub name: String,
    /// The quoted name of the folded column.
    pub sql: String,
    pub columns: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Check {
    pub name: String,
    /// Name of the constraint in the database.
    pub constraint: String,
    pub all: Vec<Comparison>,
}

#[derive(Debug)]
pub(super) struct Comparison {
    pub column: usize,
    pub at_least: bool,
    pub right: Right,
}

#[derive(Debug)]
pub(super) enum Right {
    Column(usize),
    Constant(Datum),
}

/// Index of `id`; `version`, `created_at` and `updated_at` follow as the kind has them.
pub(super) const ID: usize = 0;

impl Tables {
    /// Checks a module's collections. The error names every item that is wrong and how.
    pub fn new(module: &str, collections: &[Collection]) -> Result<Tables, Vec<String>> {
        let mut wrong = Vec::new();
        let prefix = module.replace('-', "_");
        let reserved = ["stoa", "sqlite", "pg"].iter().any(|r| prefix == *r || prefix.starts_with(&format!("{r}_")));
        if !identifier(&prefix, 32)
            || module.contains('_')
            || reserved
            || prefix.contains("__")
            || prefix.ends_with('_')
        {
            wrong.push(format!("module {module:?}: not a name that a module can have"));
        }
        let mut tables: Vec<Table> = Vec::with_capacity(collections.len());
        let mut by_name = HashMap::new();
        for collection in collections {
            let mut faults = Vec::new();
            let table = table(&prefix, collection, &mut faults);
            wrong.extend(faults.into_iter().map(|fault| format!("collection {}: {fault}", collection.name)));
            if by_name.insert(collection.name.clone(), tables.len()).is_some() {
                wrong.push(format!("collection {}: declared twice", collection.name));
            }
            tables.push(table);
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(Tables { module: module.to_owned(), tables, by_name, declared: collections.to_vec() })
    }

    pub fn module(&self) -> &str {
        &self.module
    }

    pub fn has_collection(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Names of the module's tables in the database. `a-b`/`c` and `a`/`b_c` make the same one: two modules that meet here are
    /// refused.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.bare.as_str())
    }

    /// Names of a table's columns in the database; none if there is no such table.
    pub fn columns(&self, table: &str) -> Option<Vec<&str>> {
        let table = self.tables.iter().find(|other| other.bare == table)?;
        let columns = table.columns.iter().map(|column| column.sql.trim_matches('"'));
        let folded = table.search.iter().map(|group| group.sql.trim_matches('"'));
        Some(["tenant_id"].into_iter().chain(columns).chain(folded).collect())
    }

    /// The name of one table, as it was made for a module that need not be here any more.
    pub fn table_name(module: &str, collection: &str) -> String {
        format!("{}_{collection}", module.replace('-', "_"))
    }

    /// Name of a unique key's index in the database.
    pub(super) fn unique_index(bare: &str, key: &str) -> String {
        shorten(format!("{bare}__u_{key}"))
    }

    /// Name of a declared index in the database. It depends on the form: an index of another form is another index.
    fn index(bare: &str, list: &[String], partial: bool) -> String {
        shorten(format!("{bare}__{}_{}", if partial { "p" } else { "i" }, list.join("_")))
    }

    /// Every name that the index on these columns has, or had in a table that an older host made.
    pub(super) fn index_names(bare: &str, list: &[String]) -> [String; 2] {
        [false, true].map(|partial| Tables::index(bare, list, partial))
    }

    /// Name of the trigger that keeps a derived column from being wrong.
    pub(super) fn derived_trigger(bare: &str, column: &str) -> String {
        shorten(format!("{bare}__d_{column}"))
    }

    /// Name of a check's constraint in the database.
    pub(super) fn constraint(bare: &str, check: &str) -> String {
        shorten(format!("{bare}__c_{check}"))
    }

    pub(super) fn find(&self, collection: &str) -> Option<usize> {
        self.by_name.get(collection).copied()
    }

    pub(super) fn table(&self, index: usize) -> &Table {
        &self.tables[index]
    }
}

impl Table {
    pub fn find(&self, column: &str) -> Option<usize> {
        self.by_name.get(column).copied()
    }

    pub fn column(&self, column: usize) -> &Column {
        &self.columns[column]
    }

    pub fn type_of(&self, column: usize) -> ColumnType {
        self.columns[column].type_
    }

    /// The columns that a module writes.
    pub fn own(&self) -> &[Column] {
        &self.columns[self.host..]
    }

    /// SQL of every change to rows `t`: the marks of the derived columns that this version has are flipped.
    pub fn turn_marks(&self) -> String {
        let marks = self.columns.iter().filter_map(|column| column.mark.as_ref());
        marks.map(|mark| format!(", {mark} = not t.{mark}")).collect()
    }

    pub fn has_version(&self) -> bool {
        self.kind == Kind::Record
    }
}

/// `[a-z][a-z0-9_]*` of at most `longest` bytes.
fn identifier(name: &str, longest: usize) -> bool {
    name.len() <= longest
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// A name of at most 63 bytes, PostgreSQL's limit: a longer one ends in a digest of itself.
fn shorten(name: String) -> String {
    if name.len() <= 63 {
        return name;
    }
    let digest = hex::encode(Sha256::digest(name.as_bytes()));
    format!("{}_{}", name.get(..54).unwrap_or_default(), digest.get(..8).unwrap_or_default())
}

fn quote(name: &str) -> String {
    format!("\"{name}\"")
}

fn table(prefix: &str, collection: &Collection, faults: &mut Vec<String>) -> Table {
    let name = &collection.name;
    if !identifier(name, 40) || name.contains("__") || name.ends_with('_') {
        faults.push("not a name that a collection can have".to_owned());
    }
    let bare = format!("{prefix}_{name}");
    if bare.len() > 63 {
        faults.push("the table's name passes 63 bytes with the module's".to_owned());
    }
    let columns = columns(collection, faults);
    let host = columns.len() - collection.columns.len();
    let by_name = columns.iter().enumerate().map(|(index, column)| (column.name.clone(), index)).collect();
    let mut table = Table {
        name: name.clone(),
        sql: quote(&bare),
        bare,
        kind: collection.kind,
        columns,
        host,
        by_name,
        unique: Vec::new(),
        indexes: Vec::new(),
        search: Vec::new(),
        checks: Vec::new(),
        lock_order: Vec::new(),
        counters: HashSet::new(),
    };
    keys(&mut table, collection, faults);
    searches(&mut table, collection, faults);
    checks(&mut table, collection, faults);
    counters(&mut table, collection, faults);
    check_derived(collection, faults);
    table
}

/// Null must be a value of a derived column that breaks nothing, and `upgrade` must be able to fill it.
fn check_derived(collection: &Collection, faults: &mut Vec<String>) {
    for column in collection.columns.iter().filter(|column| column.derived) {
        let name = &column.name;
        let mut lists = collection.unique.iter().map(|key| &key.columns);
        let is_bound = lists.any(|columns| columns.contains(name))
            || collection.search.iter().any(|group| group.columns.contains(name))
            || collection
                .checks
                .iter()
                .flat_map(|check| &check.all)
                .any(|comparison| comparison.column == *name || comparison.right == Operand::Column(name.clone()))
            || collection.counters.contains(name);
        if !column.nullable || column.default.is_some() || is_bound || collection.kind == Kind::Ledger {
            faults.push(format!(
                "column {name}: a derived column is nullable, without a default, in no unique key, search group, check or counter, \
                 and in no ledger"
            ));
        }
    }
}

fn columns(collection: &Collection, faults: &mut Vec<String>) -> Vec<Column> {
    let host = |name: &str, type_| Column {
        name: name.to_owned(),
        sql: quote(name),
        type_,
        nullable: false,
        default: None,
        mark: None,
    };
    let mut columns = vec![host("id", ColumnType::Uuid)];
    if collection.kind == Kind::Record {
        columns.push(host("version", ColumnType::Integer));
    }
    columns.push(host("created_at", ColumnType::Timestamp));
    columns.push(host("updated_at", ColumnType::Timestamp));
    if collection.columns.len() > 100 {
        faults.push("more than 100 columns".to_owned());
    }
    let mut seen = HashSet::new();
    for column in &collection.columns {
        let name = &column.name;
        let host = ["id", "tenant_id", "version", "created_at", "updated_at"].contains(&name.as_str());
        if !identifier(name, 40) || host {
            faults.push(format!("column {name}: not a name that a column can have"));
        }
        if !seen.insert(name) {
            faults.push(format!("column {name}: declared twice"));
        }
        if let ColumnType::Decimal { precision, scale } = column.type_
            && (precision == 0 || u32::from(precision) > decimal::DIGITS || scale > precision)
        {
            faults.push(format!("column {name}: decimal({precision},{scale}) is no type"));
        }
        let default = column.default.as_ref().and_then(|value| {
            let datum = Datum::of_json(value, column.type_);
            if datum.is_none() {
                faults.push(format!("column {name}: the default is no value of its type"));
            }
            datum
        });
        columns.push(Column {
            name: name.clone(),
            sql: quote(name),
            type_: column.type_,
            nullable: column.nullable,
            default,
            // No column that a module declares has such a name.
            mark: column.derived.then(|| quote(&format!("{name}#mark"))),
        });
    }
    columns
}

/// Resolves names; a fault names the item and the column.
fn resolve(table: &Table, item: &str, names: &[String], faults: &mut Vec<String>) -> Vec<usize> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        match table.find(name) {
            Some(column) if found.contains(&column) => faults.push(format!("{item}: column {name} twice")),
            Some(column) if table.type_of(column) == ColumnType::Json => {
                faults.push(format!("{item}: column {name} is json, which has no order"));
            }
            Some(column) => found.push(column),
            None => faults.push(format!("{item}: no column {name}")),
        }
    }
    found
}

fn keys(table: &mut Table, collection: &Collection, faults: &mut Vec<String>) {
    let mut names = HashSet::new();
    for unique in &collection.unique {
        let item = format!("unique key {}", unique.name);
        if !identifier(&unique.name, 40) || unique.name == "id" || unique.columns.is_empty() {
            faults.push(format!("{item}: not a name that a key can have, or without columns"));
        }
        let columns = resolve(table, &item, &unique.columns, faults);
        if columns.iter().any(|column| *column < table.host && *column != ID) {
            faults.push(format!("{item}: version and times cannot be unique"));
        }
        let index = Tables::unique_index(&table.bare, &unique.name);
        if !names.insert(index.clone()) {
            faults.push(format!("{item}: declared twice"));
        }
        table.unique.push(Key { name: unique.name.clone(), index, columns, not_null: None });
    }
    for list in &collection.indexes {
        let item = format!("index {}", list.join(","));
        let columns = resolve(table, &item, list, faults);
        let first = columns.first().copied();
        if let Some(column) = first.filter(|column| matches!(table.type_of(*column), ColumnType::Decimal { .. })) {
            faults.push(format!(
                "{item}: it leads with the decimal column {}; under row-level security PostgreSQL compares decimals row by row \
                 and never by an index",
                table.column(column).name
            ));
        }
        let not_null = first.filter(|column| table.column(*column).nullable);
        let index = Tables::index(&table.bare, list, not_null.is_some());
        if columns.is_empty() || !names.insert(index.clone()) {
            faults.push(format!("{item}: empty, or its name is taken"));
        }
        table.indexes.push(Key { name: list.join(","), index, columns, not_null });
    }
    table.lock_order = resolve(table, "lock order", &collection.lock_order, faults);
    if let Some(column) = table.lock_order.iter().find(|column| table.column(**column).nullable) {
        faults.push(format!("lock order: column {} is nullable", table.column(*column).name));
    }
    if !table.lock_order.contains(&ID) {
        table.lock_order.push(ID);
    }
}

fn searches(table: &mut Table, collection: &Collection, faults: &mut Vec<String>) {
    let mut names = HashSet::new();
    for search in &collection.search {
        let item = format!("search group {}", search.name);
        if !identifier(&search.name, 40) || !names.insert(&search.name) || search.columns.is_empty() {
            faults.push(format!("{item}: not a name that a group can have, declared twice, or without columns"));
        }
        let bare = format!("search_{}", search.name);
        if table.find(&bare).is_some() {
            faults.push(format!("{item}: column {bare} is in its way"));
        }
        let columns = resolve(table, &item, &search.columns, faults);
        if columns.iter().any(|column| table.type_of(*column) != ColumnType::Text) {
            faults.push(format!("{item}: only text columns can be searched"));
        }
        table.search.push(Group { name: search.name.clone(), sql: quote(&bare), columns });
    }
}

fn checks(table: &mut Table, collection: &Collection, faults: &mut Vec<String>) {
    let mut names = HashSet::new();
    for check in &collection.checks {
        let item = format!("check {}", check.name);
        if !identifier(&check.name, 40) || !names.insert(&check.name) || check.all.is_empty() {
            faults.push(format!("{item}: not a name that a check can have, declared twice, or empty"));
        }
        let mut all = Vec::with_capacity(check.all.len());
        for comparison in &check.all {
            let Some(column) = own(table, &comparison.column) else {
                faults.push(format!("{item}: no column {}", comparison.column));
                continue;
            };
            let type_ = table.type_of(column);
            let number = matches!(type_, ColumnType::Integer | ColumnType::Decimal { .. });
            let ordered = number || matches!(type_, ColumnType::Date | ColumnType::Timestamp);
            let right = match &comparison.right {
                Operand::Column(name) => match own(table, name) {
                    Some(other) if ordered && comparable(type_, table.type_of(other)) => Right::Column(other),
                    _ => {
                        faults.push(format!("{item}: {} and {name} cannot be compared", comparison.column));
                        continue;
                    }
                },
                Operand::Constant(text) => match constant(text, type_) {
                    Some(datum) if number => Right::Constant(datum),
                    _ => {
                        faults.push(format!("{item}: the constant is no value of {}", comparison.column));
                        continue;
                    }
                },
            };
            all.push(Comparison { column, at_least: comparison.op == CheckOp::AtLeast, right });
        }
        let constraint = Tables::constraint(&table.bare, &check.name);
        table.checks.push(Check { name: check.name.clone(), constraint, all });
    }
}

fn own(table: &Table, name: &str) -> Option<usize> {
    table.find(name).filter(|column| *column >= table.host)
}

fn constant(text: &str, type_: ColumnType) -> Option<Datum> {
    match type_ {
        ColumnType::Integer => text.parse().ok().map(Datum::Int),
        _ => Datum::from_value(crate::wit::store::Value::Decimal(text.to_owned()), type_).ok(),
    }
}

/// Returns whether two columns can be compared as they are stored: SQLite keeps decimals scaled, or as texts of one width.
fn comparable(left: ColumnType, right: ColumnType) -> bool {
    match (left, right) {
        (
            ColumnType::Decimal { precision: p, scale: s },
            ColumnType::Decimal { precision: other_p, scale: other_s },
        ) => s == other_s && (p == other_p || (p <= 18 && other_p <= 18)),
        (left, right) => left == right,
    }
}

fn counters(table: &mut Table, collection: &Collection, faults: &mut Vec<String>) {
    for name in &collection.counters {
        let Some(column) = own(table, name) else {
            faults.push(format!("counter {name}: no such column"));
            continue;
        };
        let number = matches!(table.type_of(column), ColumnType::Integer | ColumnType::Decimal { .. });
        let keyed = table.unique.iter().any(|key| key.columns.contains(&column)) || table.lock_order.contains(&column);
        if !number || keyed || table.column(column).nullable {
            faults.push(format!("counter {name}: must be a required number outside every key and the lock order"));
        }
        table.counters.insert(column);
    }
    if collection.kind == Kind::Ledger && !collection.counters.is_empty() {
        faults.push("a ledger has no counters".to_owned());
    }
}
