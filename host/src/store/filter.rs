//! Filters: from the flat tree of the contract to a checked one, and from that to SQL, the same for both databases but
//! for lists and containment.

use stoa_descriptor::ColumnType;

use super::datum::{Datum, Unfit};
use super::decimal::{self, Parsed};
use super::fold;
use super::names;
use super::schema::{ID, Table, Tables};
use super::scope::StoreLimits;
use super::sql::{Dialect, Sql};
use super::{Refused, excess, misuse};
use crate::wit::store::{Compare, Has, Node, Term, Value};

#[derive(Debug, Clone)]
pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Compare {
        column: usize,
        op: &'static str,
        datum: Datum,
    },
    OneOf {
        column: usize,
        data: Vec<Datum>,
    },
    Null {
        column: usize,
        is: bool,
    },
    Contains {
        group: usize,
        text: String,
    },
    Tuple {
        columns: Vec<usize>,
        op: &'static str,
        data: Vec<Datum>,
    },
    /// `each`: looked up for each row, not all matches at once.
    Has {
        table: usize,
        own_column: usize,
        theirs: usize,
        terms: Vec<Condition>,
        each: bool,
    },
}

impl Condition {
    pub fn always() -> Condition {
        Condition::All(Vec::new())
    }

    pub fn is_always(&self) -> bool {
        matches!(self, Condition::All(parts) if parts.is_empty())
    }

    /// Returns whether text is looked for, in columns of the table itself or among alternatives: no index finds the
    /// rows that have it. A `has` that every row must meet is looked up first, and does not count.
    pub fn searches(&self) -> bool {
        match self {
            Condition::Contains { .. } => true,
            Condition::All(parts) => parts.iter().any(Condition::searches),
            Condition::Any(parts) => parts.iter().any(Condition::reads_text),
            _ => false,
        }
    }

    fn reads_text(&self) -> bool {
        match self {
            Condition::Contains { .. } => true,
            Condition::All(parts) | Condition::Any(parts) | Condition::Has { terms: parts, .. } => {
                parts.iter().any(Condition::reads_text)
            }
            _ => false,
        }
    }

    /// Looks for matches of a `has` among alternatives only where they belong to rows within these bounds of the id.
    pub fn bound_matches(&mut self, bounds: &[(&'static str, Datum)]) {
        match self {
            Condition::All(parts) => parts.iter_mut().for_each(|part| part.bound_matches(bounds)),
            Condition::Any(parts) => parts.iter_mut().for_each(|part| part.bound_has(bounds)),
            _ => {}
        }
    }

    fn bound_has(&mut self, bounds: &[(&'static str, Datum)]) {
        match self {
            Condition::Has { own_column: ID, theirs, terms, .. } => {
                terms.extend(Condition::within(*theirs, bounds));
            }
            Condition::All(parts) | Condition::Any(parts) => parts.iter_mut().for_each(|part| part.bound_has(bounds)),
            _ => {}
        }
    }

    /// A column within bounds.
    pub fn within(column: usize, bounds: &[(&'static str, Datum)]) -> impl Iterator<Item = Condition> {
        bounds.iter().map(move |(op, datum)| Condition::Compare { column, op, datum: datum.clone() })
    }

    /// Marks the columns that the condition reads in its own table.
    pub fn columns(&self, used: &mut Vec<usize>) {
        match self {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| part.columns(used)),
            Condition::Compare { column, .. }
            | Condition::OneOf { column, .. }
            | Condition::Null { column, .. }
            | Condition::Has { own_column: column, .. } => used.push(*column),
            Condition::Tuple { columns, .. } => used.extend(columns),
            Condition::Contains { .. } => {}
        }
    }

    /// Search groups that the condition reads in its own table.
    pub fn groups(&self, used: &mut Vec<usize>) {
        match self {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| part.groups(used)),
            Condition::Contains { group, .. } => used.push(*group),
            _ => {}
        }
    }
}

/// Reads a filter; several roots must all hold.
pub(super) fn check(
    schema: &Tables,
    table: &Table,
    nodes: Vec<Node>,
    limits: &StoreLimits,
) -> Result<Condition, Refused> {
    let mut reader = Reader { schema, limits, terms: nodes.len(), has: 0 };
    if nodes.len() > limits.nodes {
        return Err(excess("filter nodes", limits.nodes));
    }
    let mut nodes = nodes.into_iter();
    let mut roots = Vec::new();
    while let Some(node) = nodes.next() {
        roots.push(reader.node(table, node, &mut nodes, 1)?);
    }
    Ok(match roots.pop() {
        Some(only) if roots.is_empty() => only,
        Some(last) => {
            roots.push(last);
            Condition::All(roots)
        }
        None => Condition::always(),
    })
}

struct Reader<'a> {
    schema: &'a Tables,
    limits: &'a StoreLimits,
    terms: usize,
    has: usize,
}

impl Reader<'_> {
    fn node(
        &mut self,
        table: &Table,
        node: Node,
        rest: &mut std::vec::IntoIter<Node>,
        depth: usize,
    ) -> Result<Condition, Refused> {
        if depth > self.limits.depth + 1 {
            return Err(excess("filter depth", self.limits.depth));
        }
        match node {
            Node::All(count) => Ok(Condition::All(self.children(table, count, rest, depth)?)),
            Node::Any(count) => Ok(Condition::Any(self.children(table, count, rest, depth)?)),
            Node::Term(term) => self.term(table, term),
            Node::Has(has) => self.has(table, has),
        }
    }

    fn children(
        &mut self,
        table: &Table,
        count: u8,
        rest: &mut std::vec::IntoIter<Node>,
        depth: usize,
    ) -> Result<Vec<Condition>, Refused> {
        let mut children = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let node = rest.next().ok_or_else(|| misuse("a filter ends before its last node"))?;
            children.push(self.node(table, node, rest, depth + 1)?);
        }
        Ok(children)
    }

    fn has(&mut self, table: &Table, has: Has) -> Result<Condition, Refused> {
        self.has += 1;
        self.terms += has.where_.len();
        if self.has > self.limits.has {
            return Err(excess("has of a filter", self.limits.has));
        }
        if self.terms > self.limits.nodes {
            return Err(excess("filter nodes", self.limits.nodes));
        }
        let other = names::table(self.schema, &has.collection)?;
        let theirs = self.schema.table(other);
        let own_column = names::find_column(table, &has.own)?;
        let their_column = names::find_column(theirs, &has.theirs)?;
        let (left, right) = (table.type_of(own_column), theirs.type_of(their_column));
        let decimals = matches!(left, ColumnType::Decimal { .. } | ColumnType::Json);
        if left != right || decimals {
            return Err(misuse("has: the two columns cannot be compared"));
        }
        let terms = has.where_.into_iter().map(|term| self.term(theirs, term)).collect::<Result<_, _>>()?;
        Ok(Condition::Has { table: other, own_column, theirs: their_column, terms, each: false })
    }

    fn term(&mut self, table: &Table, term: Term) -> Result<Condition, Refused> {
        if term.values.len() > self.limits.keys {
            return Err(excess("values of a term", self.limits.keys));
        }
        match term.op {
            Compare::Contains => return contains(table, term),
            Compare::LexLt => return tuple(table, term, "<"),
            Compare::LexGt => return tuple(table, term, ">"),
            _ => {}
        }
        let column = names::find_column(table, &term.column)?;
        let type_ = table.type_of(column);
        let count = term.values.len();
        let mut values = term.values.into_iter();
        let op = match term.op {
            Compare::IsNull | Compare::NotNull if count > 0 => return Err(misuse("is-null takes no value")),
            Compare::IsNull => return Ok(Condition::Null { column, is: true }),
            Compare::NotNull => return Ok(Condition::Null { column, is: false }),
            _ if type_ == ColumnType::Json => return Err(misuse("json columns take is-null only")),
            Compare::OneOf => {
                let mut data = Vec::with_capacity(count);
                for value in values {
                    // A value that no row can have is left out of the list.
                    let datum = read_bound(value, type_, Compare::Eq, &table.column(column).name)?;
                    if datum != Datum::Decimal(decimal::BEYOND) {
                        data.push(datum);
                    }
                }
                return Ok(Condition::OneOf { column, data });
            }
            Compare::Eq => "=",
            Compare::Ne => "<>",
            _ if type_ == ColumnType::Boolean => return Err(misuse("boolean columns have no order")),
            Compare::Lt => "<",
            Compare::Le => "<=",
            Compare::Gt => ">",
            Compare::Ge => ">=",
            Compare::Contains | Compare::LexLt | Compare::LexGt => return Err(misuse("not a comparison")),
        };
        match (values.next(), values.next()) {
            (Some(value), None) => {
                let datum = read_bound(value, type_, term.op, &table.column(column).name)?;
                Ok(Condition::Compare { column, op, datum })
            }
            _ => Err(misuse("a comparison takes one value")),
        }
    }
}

/// A value to compare with: unlike one to store, a decimal may be finer or larger than the column holds. A finer bound
/// becomes the neighbour on the side that leaves the answer as it is.
fn read_bound(value: Value, type_: ColumnType, op: Compare, column: &str) -> Result<Datum, Refused> {
    let datum = match (type_, value) {
        (_, Value::Null) => return Err(misuse("null is compared by is-null")),
        (ColumnType::Decimal { scale, .. }, Value::Decimal(text)) => {
            Datum::Decimal(match decimal::parse(&text, scale).ok_or_else(|| misuse("not a decimal"))? {
                Parsed::Exact(value) => value,
                Parsed::Above(floor) => match op {
                    Compare::Gt | Compare::Le => floor,
                    Compare::Ge | Compare::Lt => floor + 1,
                    _ => decimal::BEYOND,
                },
                Parsed::Huge(negative) if negative && !matches!(op, Compare::Eq) => -decimal::BEYOND,
                Parsed::Huge(_) => decimal::BEYOND,
            })
        }
        (type_, value) => Datum::from_value(value, type_).map_err(|unfit| unfit_column(unfit, column))?,
    };
    Ok(datum)
}

pub(super) fn unfit_column(unfit: Unfit, column: &str) -> Refused {
    match unfit {
        Unfit::Type => misuse(&format!("a value is not of the type of column {column}")),
        Unfit::Range => Refused::Range(column.to_owned()),
    }
}

fn contains(table: &Table, term: Term) -> Result<Condition, Refused> {
    let group = table.search.iter().position(|group| group.name == term.column).ok_or_else(|| {
        misuse(&format!("collection {} has no search group {}", table.name, names::quote_name(&term.column)))
    })?;
    match term.values.as_slice() {
        [Value::Text(text)] if text.contains('\0') => Err(Refused::Range(term.column)),
        [Value::Text(text)] => Ok(Condition::Contains { group, text: fold::fold(text) }),
        _ => Err(misuse("contains takes one text")),
    }
}

fn tuple(table: &Table, term: Term, op: &'static str) -> Result<Condition, Refused> {
    let mut columns = Vec::new();
    for name in term.column.split(',') {
        let column = names::find_column(table, name)?;
        if columns.contains(&column) || !is_orderable(table, column) {
            return Err(misuse("lex: the columns must be required, ordered and different"));
        }
        columns.push(column);
    }
    if term.values.len() != columns.len() {
        return Err(misuse("lex: as many values as columns"));
    }
    let data = row(table, &columns, term.values)?;
    Ok(Condition::Tuple { columns, op, data })
}

/// Returns whether rows can be ordered by the column: required, and of a type that both databases order alike.
pub(super) fn is_orderable(table: &Table, column: usize) -> bool {
    !table.column(column).nullable && table.type_of(column) != ColumnType::Json
}

/// Values for columns, in order, none null.
pub(super) fn row(table: &Table, columns: &[usize], values: Vec<Value>) -> Result<Vec<Datum>, Refused> {
    columns
        .iter()
        .zip(values)
        .map(|(column, value)| match Datum::from_value(value, table.type_of(*column)) {
            Ok(Datum::Null) => Err(misuse("null is no value of a key or an order")),
            Ok(datum) => Ok(datum),
            Err(unfit) => Err(unfit_column(unfit, &table.column(*column).name)),
        })
        .collect()
}

/// Writes the condition as one SQL expression over `alias`.
pub(super) fn write(schema: &Tables, table: &Table, alias: &str, condition: Condition, sql: &mut Sql) {
    write_part(Rows { schema, table, alias }, condition, true, sql);
}

/// The rows that a condition is about.
#[derive(Clone, Copy)]
struct Rows<'a> {
    schema: &'a Tables,
    table: &'a Table,
    alias: &'a str,
}

/// `must`: no row is wanted that does not meet this part.
fn write_part(rows: Rows<'_>, condition: Condition, must: bool, sql: &mut Sql) {
    let Rows { schema, table, alias } = rows;
    match condition {
        Condition::All(parts) if parts.is_empty() => {
            sql.put("true");
        }
        Condition::Any(parts) if parts.is_empty() => {
            sql.put("false");
        }
        Condition::All(parts) => write_joined(rows, parts, " and ", must, sql),
        Condition::Any(parts) => write_joined(rows, parts, " or ", false, sql),
        Condition::Compare { column, op, datum } => {
            sql.column(alias, table, column).put(" ").put(op).put(" ").bind(table.type_of(column), datum);
        }
        Condition::OneOf { column, data } => {
            let type_ = table.type_of(column);
            sql.column(alias, table, column);
            match sql.dialect {
                Dialect::Sqlite => sql.put(" in rarray(").bind_many(type_, data).put(")"),
                Dialect::Postgres if matches!(type_, ColumnType::Decimal { .. }) => {
                    sql.put(" = any(").bind_many(type_, data).put("::text[]::numeric[])")
                }
                Dialect::Postgres => sql.put(" = any(").bind_many(type_, data).put(")"),
            };
        }
        Condition::Null { column, is } => {
            sql.column(alias, table, column).put(if is { " is null" } else { " is not null" });
        }
        Condition::Contains { group, text } => write_contains(rows, group, text, sql),
        Condition::Tuple { columns, op, data } => write_tuple(rows, &columns, op, data, sql),
        Condition::Has { table: other, own_column, theirs, terms, each: true } => {
            let other = schema.table(other);
            // Not `exists`, which PostgreSQL may turn into a join that reads all matches.
            sql.put("(select true from ").put(&other.sql).put(" h").of_tenant("h");
            sql.put(" and ").column("h", other, theirs).put(" = ").column(alias, table, own_column);
            write_terms(schema, other, terms, sql);
            sql.put(" limit 1)");
        }
        Condition::Has { table: other, own_column, theirs, terms, each: false } => {
            let other = schema.table(other);
            // The matches are found once and these rows by them. `exists` would run through this table on SQLite; on
            // PostgreSQL a plan made before a table has statistics would compare every row with every match, so the
            // matches are an array there. Among alternatives an index is of no use: there they are hashed.
            let array = must && sql.dialect == Dialect::Postgres;
            sql.column(alias, table, own_column).put(if array { " = any(array(select " } else { " in (select " });
            sql.column("h", other, theirs).put(" from ").put(&other.sql).put(" h").of_tenant("h");
            write_terms(schema, other, terms, sql);
            sql.put(if array { "))" } else { ")" });
        }
    }
}

/// A search group contains the text.
fn write_contains(rows: Rows<'_>, group: usize, text: String, sql: &mut Sql) {
    let name = rows.table.search.get(group).map(|group| group.sql.as_str()).unwrap_or_default();
    match sql.dialect {
        Dialect::Sqlite => {
            sql.put("instr(").put(rows.alias).put(".").put(name).put(", ");
            sql.bind(ColumnType::Text, Datum::Text(text)).put(") > 0");
        }
        Dialect::Postgres => {
            sql.put("position(").bind(ColumnType::Text, Datum::Text(text));
            sql.put(" in ").put(rows.alias).put(".").put(name).put(") > 0");
        }
    }
}

/// Several columns compare with as many values, as one.
fn write_tuple(rows: Rows<'_>, columns: &[usize], op: &str, data: Vec<Datum>, sql: &mut Sql) {
    sql.put("(");
    for (nth, column) in columns.iter().enumerate() {
        sql.put(if nth > 0 { ", " } else { "" }).column(rows.alias, rows.table, *column);
    }
    sql.put(") ").put(op).put(" (");
    for (nth, (column, datum)) in columns.iter().zip(data).enumerate() {
        sql.put(if nth > 0 { ", " } else { "" }).bind(rows.table.type_of(*column), datum);
    }
    sql.put(")");
}

/// The conditions on the other table's rows.
fn write_terms(schema: &Tables, other: &Table, terms: Vec<Condition>, sql: &mut Sql) {
    for term in terms {
        sql.put(" and ");
        write_part(Rows { schema, table: other, alias: "h" }, term, true, sql);
    }
}

fn write_joined(rows: Rows<'_>, parts: Vec<Condition>, word: &str, must: bool, sql: &mut Sql) {
    sql.put("(");
    for (nth, condition) in parts.into_iter().enumerate() {
        if nth > 0 {
            sql.put(word);
        }
        write_part(rows, condition, must, sql);
    }
    sql.put(")");
}
