//! A pattern as a script for pgbench: the same statements in the same messages, with values that never conflict.
//!
//! Values that the host binds are bound here too, as variables that pgbench sends with the statement: a constant in the
//! text would let the planner see what it cannot see of the host. Values of one transaction only (ids, the row that it
//! works on, its period) come of a number that is bound.

use uuid::Uuid;

use super::{Part, Pattern, Shape, Value};

/// The records that transactions work on in turn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Picks<'a> {
    pub products: &'a [Uuid],
    pub lists: &'a [Uuid],
    pub variants: &'a [Uuid],
    /// How many of the variants, which follow one another, are ordered together.
    pub ordered: usize,
}

/// A script, and the variables that it is started with: `name=value`.
#[derive(Debug, PartialEq)]
pub struct Script {
    pub text: String,
    pub variables: Vec<String>,
}

/// The variable that holds the variants of orders: too many of them are named to write them out in every place.
const ORDERED: &str = ":ordered";

/// Ids that one transaction can make.
const FRESH_IDS: usize = 512;

/// The script. Its runs are given two variables more: `base`, where the numbers of its transactions begin, and
/// `clients`; those of checkouts, which only one client can make, get `version` too: the version of the cash session before the
/// first.
pub fn script(pattern: &Pattern, picks: Picks<'_>) -> anyhow::Result<Script> {
    let count = |ids: &[Uuid]| ids.len().max(1);
    let (products, lists, variants) = (count(picks.products), count(picks.lists), count(picks.variants));
    let mut writer = Writer { picks, variables: vec!["n=0".to_owned()] };
    if picks.ordered > 0 {
        writer.variables.push(format!("ordered={}", list(picks.variants)));
    }
    let mut text = format!(
        "\\set n :n + 1\n\\set i :base + :n * :clients + :client_id\n\\set q :i % {products}\n\\set v :i % {variants}\n\
         \\set l (:i / {variants}) % {lists}\n\\set p :i / {}\n",
        lists * variants
    );
    for exchange in &pattern.exchanges {
        let one_message = exchange.len() > 1;
        text.push_str(if one_message { "\\startpipeline\n" } else { "" });
        for shape in exchange {
            text.push_str(&writer.statement(shape)?.replace('\n', " "));
            text.push_str(";\n");
        }
        text.push_str(if one_message { "\\endpipeline\n" } else { "" });
    }
    Ok(Script { text, variables: writer.variables })
}

struct Writer<'a> {
    picks: Picks<'a>,
    variables: Vec<String>,
}

impl Writer<'_> {
    fn statement(&mut self, shape: &Shape) -> anyhow::Result<String> {
        let parts = shape.parts.iter().map(|part| self.expression(part)).collect::<anyhow::Result<Vec<_>>>()?;
        match shape.sql.strip_prefix("execute ") {
            Some(name) => write_opening(name, &parts),
            None => Ok(fill(&shape.sql, &parts)),
        }
    }

    fn expression(&mut self, part: &Part) -> anyhow::Result<String> {
        Ok(match part {
            Part::Constant(value) => self.constant(value),
            Part::Fresh(nth) => fresh(*nth)?,
            Part::Product => pick(self.picks.products, "q"),
            Part::List => pick(self.picks.lists, "l"),
            Part::Variant => pick(self.picks.variants, "v"),
            Part::Ordered(nth) => self.pick_ordered(*nth),
            Part::Number { is_key } => format!("('{}' || :i::bigint)", if *is_key { "pgbench-" } else { "PGBENCH-" }),
            Part::Naming { before, nth, after } => format!("('{before}' || {}::text || '{after}')", fresh(*nth)?),
            // The first transaction of a run finds the version that the run was given.
            Part::SessionVersion(difference) => format!("(:version::bigint + :n::bigint - 1 + {difference})"),
            Part::From => "(timestamptz '2030-01-01' + :p::int * interval '1 day')".to_owned(),
            Part::To => "(timestamptz '2030-01-02' + :p::int * interval '1 day')".to_owned(),
            Part::Pair => format!("(:l::bigint * {} + :v::bigint)", self.picks.variants.len()),
            Part::Many(_, parts) if is_run(parts) => self.pick_all_ordered(parts.len()),
            Part::Many(type_, parts) => {
                let items = parts.iter().map(|part| self.expression(part)).collect::<anyhow::Result<Vec<_>>>()?;
                format!("array[{}]::{type_}[]", items.join(", "))
            }
        })
    }

    /// Transactions at the same time order other variants, as far as there are others.
    fn pick_ordered(&self, nth: usize) -> String {
        format!("({ORDERED}::uuid[])[{} + {}]", self.ordered_before(), nth + 1)
    }

    /// Those that are ordered together, from the first on.
    fn pick_all_ordered(&self, count: usize) -> String {
        let before = self.ordered_before();
        format!("({ORDERED}::uuid[])[{before} + 1:{before} + {count}]")
    }

    /// How many variants come before those of this transaction.
    fn ordered_before(&self) -> String {
        let each = self.picks.ordered.max(1);
        format!("(:i::bigint % {}) * {each}", (self.picks.variants.len() / each).max(1))
    }

    /// A variable that holds the value; pgbench has none for null.
    fn constant(&mut self, value: &Value) -> String {
        let (text, type_) = match value {
            Value::Null(type_) if type_.is_empty() => return "null".to_owned(),
            Value::Null(type_) => return format!("null::{type_}"),
            Value::Raw(text) => return text.clone(),
            bound => (write(bound), type_name(bound)),
        };
        let name = format!("k{}", self.variables.len());
        self.variables.push(format!("{name}={text}"));
        format!("(:{name}::{type_})")
    }
}

/// Returns whether these are variants that are ordered together, from the first on.
fn is_run(parts: &[Part]) -> bool {
    !parts.is_empty() && parts.iter().enumerate().all(|(nth, part)| *part == Part::Ordered(nth))
}

/// `$n` replaced by the nth expression.
fn fill(sql: &str, parts: &[String]) -> String {
    let mut pieces = sql.split('$');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let number = piece.get(..digits).and_then(|number| number.parse::<usize>().ok()).unwrap_or(0);
        match number.checked_sub(1).and_then(|index| parts.get(index)) {
            Some(part) => text.push_str(part),
            None => text.push_str(&format!("${}", piece.get(..digits).unwrap_or_default())),
        }
        text.push_str(piece.get(digits..).unwrap_or_default());
    }
    text
}

/// An id that no other transaction of any run makes; ids of one client ascend, as the host's do.
fn fresh(nth: usize) -> anyhow::Result<String> {
    anyhow::ensure!(nth < FRESH_IDS, "a request that makes more than {FRESH_IDS} ids");
    Ok(format!(
        "('01990000-0000-7' || lpad(to_hex(:client_id::int), 3, '0') || '-8000-' \
         || lpad(to_hex(:i::bigint * {FRESH_IDS} + {nth}), 12, '0'))::uuid"
    ))
}

fn pick(ids: &[Uuid], variable: &str) -> String {
    format!("('{}'::uuid[])[:{variable}::int + 1]", list(ids))
}

/// As PostgreSQL reads it.
fn list(ids: &[Uuid]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    format!("{{{}}}", ids.join(","))
}

fn type_name(value: &Value) -> String {
    match value {
        Value::Null(type_) | Value::Written(_, type_) => type_.clone(),
        Value::Id(_) => "uuid".to_owned(),
        Value::Text(_) | Value::Raw(_) => "text".to_owned(),
        Value::Boolean(_) => "boolean".to_owned(),
        Value::Integer(_) => "bigint".to_owned(),
        Value::Instant(_) => "timestamptz".to_owned(),
        Value::Bytes(_) => "bytea".to_owned(),
        Value::List(type_, _) => format!("{type_}[]"),
    }
}

/// A value as PostgreSQL reads it.
fn write(value: &Value) -> String {
    match value {
        Value::Null(_) => String::new(),
        Value::Id(id) => id.to_string(),
        Value::Text(text) | Value::Written(text, _) | Value::Raw(text) => text.clone(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Instant(micros) => {
            let text = stoa_sdk::Instant(micros.div_euclid(1000)).to_string();
            format!("{}{:03}Z", text.trim_end_matches('Z'), micros.rem_euclid(1000))
        }
        Value::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("\\x{hex}")
        }
        Value::List(_, items) => {
            let item = |item: &Value| match item {
                Value::Null(_) => "NULL".to_owned(),
                other => format!("\"{}\"", write(other).replace('\\', "\\\\").replace('"', "\\\"")),
            };
            format!("{{{}}}", items.iter().map(item).collect::<Vec<_>>().join(","))
        }
    }
}

/// The opening is a prepared statement of the host's, executed by name: its text, with the arguments in their places.
fn write_opening(name: &str, arguments: &[String]) -> anyhow::Result<String> {
    let head = format!("prepare {name}(");
    let texts = stoa::pipeline::opening::postgres_prepared();
    let prepared = texts.iter().find_map(|text| text.strip_prefix(&head)).and_then(|text| text.split_once(") as"));
    let Some((types, sql)) = prepared else { anyhow::bail!("the host prepares no `{name}`") };
    let typed = |(type_, argument): (&str, &String)| format!("({argument})::{}", type_.trim());
    let arguments: Vec<String> = types.split(',').zip(arguments).map(typed).collect();
    Ok(fill(sql, &arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_script(sql: &str, parts: Vec<Part>) -> Script {
        let pattern = Pattern { exchanges: vec![vec![Shape { sql: sql.to_owned(), parts }]] };
        script(&pattern, Picks::default()).unwrap()
    }

    fn last_line(script: &Script) -> &str {
        script.text.lines().last().unwrap()
    }

    #[test]
    fn what_the_host_binds_is_bound() {
        let name = Value::Text("it's: \"so\"".to_owned());
        let script = write_script(
            "select a from t where b = $1 limit $2",
            vec![Part::Constant(name), Part::Constant(Value::Integer(3))],
        );
        assert_eq!(last_line(&script), "select a from t where b = (:k1::text) limit (:k2::bigint);");
        assert_eq!(script.variables, ["n=0", "k1=it's: \"so\"", "k2=3"]);
    }

    #[test]
    fn orders_are_numbered_and_each_takes_its_own_variants() {
        let variants: Vec<Uuid> = (1..=4).map(Uuid::from_u128).collect();
        let run = Part::Many("uuid".to_owned(), vec![Part::Ordered(0), Part::Ordered(1)]);
        let parts = vec![Part::Ordered(1), Part::Number { is_key: true }, run];
        let shape = Shape { sql: "select $1, $2, $3".to_owned(), parts };
        let picks = Picks { variants: &variants, ordered: 2, ..Picks::default() };
        let script = script(&Pattern { exchanges: vec![vec![shape]] }, picks).unwrap();
        let before = "(:i::bigint % 2) * 2";
        let expected = format!(
            "select (:ordered::uuid[])[{before} + 2], ('pgbench-' || :i::bigint), \
             (:ordered::uuid[])[{before} + 1:{before} + 2];"
        );
        assert_eq!(last_line(&script), expected);
        assert!(script.variables[1].starts_with("ordered={00000000-"), "{:?}", script.variables);
    }

    #[test]
    fn values_are_written_as_they_are_read() {
        let list =
            Value::List("text".to_owned(), vec![Value::Text("a\"b\\".to_owned()), Value::Null("text".to_owned())]);
        assert_eq!(write(&list), r#"{"a\"b\\",NULL}"#);
        assert_eq!(write(&Value::Instant(1_893_456_000_000_001)), "2030-01-01T00:00:00.000001Z");
        assert_eq!(write(&Value::Bytes(vec![1, 255])), "\\x01ff");
        let script =
            write_script("select $1, $2", vec![Part::Constant(list), Part::Constant(Value::Null("uuid".to_owned()))]);
        assert_eq!(last_line(&script), "select (:k1::text[]), null::uuid;");
    }

    #[test]
    fn a_request_that_makes_too_many_ids_is_refused() {
        assert!(fresh(FRESH_IDS - 1).is_ok());
        assert!(fresh(FRESH_IDS).is_err());
    }
}
