//! A pattern as a script for pgbench: the same statements in the same messages, with values that never conflict.

use super::{Part, Pattern, Shape, Value};
use crate::company::Prices;

/// The script. Lists and variants are picked from the same number of each as the service's own load has.
pub fn script(pattern: &Pattern, prices: &Prices, clients: usize) -> anyhow::Result<String> {
    let (lists, variants) = (prices.lists.len(), prices.variants.len());
    let mut text = format!(
        "\\set n :n + 1\n\\set i :n * {clients} + :client_id\n\\set v :i % {variants}\n\\set l (:i / {variants}) % {lists}\n\
         \\set p :i / {}\n",
        lists * variants
    );
    for exchange in &pattern.exchanges {
        let one_message = exchange.len() > 1;
        text.push_str(if one_message { "\\startpipeline\n" } else { "" });
        for shape in exchange {
            text.push_str(&statement(shape, prices)?.replace('\n', " "));
            text.push_str(";\n");
        }
        text.push_str(if one_message { "\\endpipeline\n" } else { "" });
    }
    Ok(text)
}

fn statement(shape: &Shape, prices: &Prices) -> anyhow::Result<String> {
    let parts = shape.parts.iter().map(|part| expression(part, prices)).collect::<anyhow::Result<Vec<_>>>()?;
    match shape.sql.strip_prefix("execute ") {
        Some(name) => write_opening(name, &parts),
        None => Ok(fill(&shape.sql, &parts)),
    }
}

/// `$n` replaced by the nth expression.
fn fill(sql: &str, parts: &[String]) -> String {
    let mut pieces = sql.split('$');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let number = piece.get(..digits).and_then(|number| number.parse::<usize>().ok()).unwrap_or(0);
        match number.checked_sub(1).and_then(|at| parts.get(at)) {
            Some(part) => text.push_str(part),
            None => text.push_str(&format!("${}", piece.get(..digits).unwrap_or_default())),
        }
        text.push_str(piece.get(digits..).unwrap_or_default());
    }
    text
}

/// An id that no other transaction of any run makes; ids of one client ascend, as the host's do.
fn fresh(nth: usize) -> String {
    format!(
        "('01990000-0000-7' || lpad(to_hex(:client_id::int), 3, '0') || '-8000-' || lpad(to_hex(:n::bigint * 16 + {nth}), 12, '0'))::uuid"
    )
}

fn pick(ids: &[uuid::Uuid], variable: &str) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    format!("('{{{}}}'::uuid[])[:{variable}::int + 1]", ids.join(","))
}

fn expression(part: &Part, prices: &Prices) -> anyhow::Result<String> {
    Ok(match part {
        Part::Constant(value) => literal(value),
        Part::Fresh(nth) => fresh(*nth),
        Part::List => pick(&prices.lists, "l"),
        Part::Variant => pick(&prices.variants, "v"),
        Part::From => "(timestamptz '2030-01-01' + :p::int * interval '1 day')".to_owned(),
        Part::To => "(timestamptz '2030-01-02' + :p::int * interval '1 day')".to_owned(),
        Part::Pair => format!("(:l::bigint * {} + :v::bigint)", prices.variants.len()),
        Part::Many(type_, parts) => {
            let items = parts.iter().map(|part| expression(part, prices)).collect::<anyhow::Result<Vec<_>>>()?;
            format!("array[{}]::{type_}[]", items.join(", "))
        }
        Part::Product => anyhow::bail!("a write reads no product by path"),
    })
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null(type_) if type_.is_empty() => "null".to_owned(),
        Value::Null(type_) => format!("null::{type_}"),
        Value::Id(id) => format!("'{id}'::uuid"),
        Value::Text(text) => format!("{}::text", quote(text)),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(number) => format!("{number}::bigint"),
        Value::Instant(micros) => format!("(timestamptz 'epoch' + {micros} * interval '1 microsecond')"),
        Value::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("'\\x{hex}'::bytea")
        }
        Value::List(type_, items) => {
            format!("array[{}]::{type_}[]", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Raw(text) => text.clone(),
    }
}

/// Without colons: pgbench would take what follows one for a variable.
fn quote(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\'', "''").replace(':', "\\x3a").replace('\n', "\\n");
    format!("E'{text}'")
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
