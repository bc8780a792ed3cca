//! An answer as CSV (RFC 4180): the columns are those of the schema that the operation declares, so that they stay the same
//! whatever a page holds; the lines are what it answered.
//!
//! Rows are the entries of the member `items`, else the answer itself. An object within a row is columns named `member.inner`. A
//! list of objects within it, of which there is one at most, makes a line for each entry, with the row's own cells repeated.

use serde_json::{Map, Value};

use super::refs;

/// Objects in objects at most: a schema that refers to itself ends here.
const DEEPEST: usize = 8;

/// How answers of one operation are written.
#[derive(Debug)]
pub struct Csv {
    has_items: bool,
    /// Where a row holds a list.
    list: Option<Vec<String>>,
    columns: Vec<Column>,
}

#[derive(Debug, PartialEq)]
struct Column {
    name: String,
    path: Vec<String>,
    /// True if the path begins at an entry of the row's list, else at the row.
    of_entry: bool,
}

/// A page of rows, as text.
#[derive(Debug, PartialEq)]
pub struct CsvPage {
    pub text: Vec<u8>,
    /// The cursor of the page behind it.
    pub next: Option<String>,
}

impl Csv {
    /// `Err`: why responses of this schema are not rows.
    pub fn compile(response: &Value, defs: &Map<String, Value>) -> Result<Csv, String> {
        let answer = resolve(response, defs)?;
        let items = answer.get("properties").and_then(|members| members.get("items"));
        let row = match items {
            Some(items) => resolve(resolve(items, defs)?.get("items").ok_or("`items` is no list")?, defs)?,
            None => answer,
        };
        let mut csv = Csv { has_items: items.is_some(), list: None, columns: Vec::new() };
        csv.add(row, &Position::default(), defs)?;
        if csv.columns.is_empty() { Err("a row has no members".into()) } else { Ok(csv) }
    }

    fn add(
        &mut self,
        object: &Map<String, Value>,
        position: &Position,
        defs: &Map<String, Value>,
    ) -> Result<(), String> {
        if position.depth > DEEPEST {
            return Err(format!("{} lies too deep", position.name));
        }
        for (name, member) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let (member, inner) = (resolve(member, defs)?, position.down(name));
            if member.contains_key("properties") {
                self.add(member, &inner, defs)?;
            } else if let Some(entry) = member.get("items") {
                let entry = resolve(entry, defs)?;
                if position.of_entry || self.list.is_some() || !entry.contains_key("properties") {
                    return Err(format!("{} is a list that is no rows", inner.name));
                }
                self.list = Some(inner.path);
                let entries = Position { path: Vec::new(), of_entry: true, ..inner };
                self.add(entry, &entries, defs)?;
            } else if is_cell(member) {
                self.columns.push(Column { name: inner.name, path: inner.path, of_entry: inner.of_entry });
            } else {
                return Err(format!("{} is no cell", inner.name));
            }
        }
        Ok(())
    }

    /// Writes an answer. `Err`: it is not a response of this operation.
    pub fn write(&self, answer: &[u8]) -> Result<CsvPage, String> {
        let answer: Value = serde_json::from_slice(answer).map_err(|error| error.to_string())?;
        let rows = match answer.get("items").and_then(Value::as_array) {
            Some(items) if self.has_items => items.as_slice(),
            None if self.has_items => return Err("an answer without items".into()),
            _ => std::slice::from_ref(&answer),
        };
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        let written = |error: csv::Error| error.to_string();
        writer.write_record(self.columns.iter().map(|column| column.name.as_str())).map_err(written)?;
        for row in rows {
            let list = self.list.as_ref().and_then(|path| at(row, path)).and_then(Value::as_array);
            let no_entry = [Value::Null];
            for entry in list.filter(|list| !list.is_empty()).map_or(no_entry.as_slice(), Vec::as_slice) {
                let cells = self.columns.iter().map(|column| {
                    let value = at(if column.of_entry { entry } else { row }, &column.path);
                    cell(value.unwrap_or(&Value::Null))
                });
                writer.write_record(cells).map_err(written)?;
            }
        }
        let text = writer.into_inner().map_err(|error| error.to_string())?;
        let next = self.has_items.then(|| answer["nextCursor"].as_str()).flatten().map(str::to_owned);
        Ok(CsvPage { text, next })
    }
}

/// Where in a row the walk is.
#[derive(Default)]
struct Position {
    name: String,
    path: Vec<String>,
    of_entry: bool,
    depth: usize,
}

impl Position {
    fn down(&self, member: &str) -> Position {
        let name = if self.name.is_empty() { member.to_owned() } else { format!("{}.{member}", self.name) };
        let path = self.path.iter().cloned().chain([member.to_owned()]).collect();
        Position { name, path, of_entry: self.of_entry, depth: self.depth + 1 }
    }
}

/// The schema behind references, and the one that is not null.
fn resolve<'a>(schema: &'a Value, defs: &'a Map<String, Value>) -> Result<&'a Map<String, Value>, String> {
    let mut schema = schema;
    for _ in 0..DEEPEST {
        let keywords = schema.as_object().ok_or("a schema that is no object")?;
        let choices = keywords.get("anyOf").or_else(|| keywords.get("oneOf")).and_then(Value::as_array);
        let mut others = choices.into_iter().flatten().filter(|choice| choice["type"] != "null");
        schema = match (keywords.get("$ref").and_then(Value::as_str), others.next(), others.next()) {
            (Some(reference), ..) => {
                refs::name(reference).and_then(|name| defs.get(name)).ok_or("a reference that names no schema")?
            }
            (None, Some(only), None) => only,
            _ => return Ok(keywords),
        };
    }
    Err("references without an end".into())
}

/// Returns whether values of a schema fit one cell.
fn is_cell(schema: &Map<String, Value>) -> bool {
    let simple = |kind: &Value| ["string", "integer", "number", "boolean", "null"].iter().any(|known| kind == known);
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().all(simple),
        Some(kind) => simple(kind),
        None => schema.contains_key("enum") || schema.contains_key("const") || is_choice_of_cells(schema),
    }
}

/// A choice between values, as of a type whose values are explained one by one.
fn is_choice_of_cells(schema: &Map<String, Value>) -> bool {
    let choices = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    choices.is_some_and(|choices| choices.iter().all(|choice| choice.as_object().is_some_and(is_cell)))
}

fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, member| value.get(member))
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => defuse(text),
        other => other.to_string(),
    }
}

/// Text that a spreadsheet would take for a formula becomes text to it (OWASP ASVS 1.2.10). A number stays one: a cell
/// of only a sign and digits computes nothing.
fn defuse(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && !is_number(text) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// A decimal as the interface writes it.
fn is_number(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    digits(whole.strip_prefix('-').unwrap_or(whole)) && digits(fraction)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schemas() -> Map<String, Value> {
        let all = json!({
            "Report": {"type": "object", "properties": {
                "items": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
                "totals": {"$ref": "#/$defs/Figures"}, "nextCursor": {"type": ["string", "null"]}}},
            "Row": {"type": "object", "properties": {
                "key": {"type": ["string", "null"]}, "label": {"type": "string"},
                "kind": {"anyOf": [{"$ref": "#/$defs/Kind"}, {"type": "null"}]},
                "figures": {"$ref": "#/$defs/Figures"}}},
            "Kind": {"oneOf": [{"type": "string", "const": "A"}, {"type": "string", "const": "B"}]},
            "Figures": {"type": "object", "properties": {"net": {"type": "string"}, "documents": {"type": "integer"}}},
            "Goods": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Good"}}}},
            "Good": {"type": "object", "properties": {
                "id": {"type": "string"}, "values": {"type": "array", "items": {"$ref": "#/$defs/Figures"}},
                "isNew": {"type": "boolean"}}},
            "Order": {"type": "object", "properties": {
                "total": {"type": "string"}, "invoices": {"type": "array", "items": {"$ref": "#/$defs/Figures"}}}},
            "Loop": {"type": "object", "properties": {"loop": {"$ref": "#/$defs/Loop"}}},
        });
        all.as_object().cloned().unwrap_or_default()
    }

    fn compile_table(name: &str) -> Result<Csv, String> {
        Csv::compile(&json!({"$ref": format!("#/$defs/{name}")}), &schemas())
    }

    #[track_caller]
    fn write(name: &str, answer: &Value) -> String {
        String::from_utf8(compile_table(name).unwrap().write(answer.to_string().as_bytes()).unwrap().text).unwrap()
    }

    fn row(label: &str) -> Value {
        json!({"key": null, "label": label, "kind": null, "figures": {"net": "1.00", "documents": 2}})
    }

    #[test]
    fn columns_are_the_schemas_and_lines_the_rows() {
        let mut first = row("plain");
        (first["key"], first["kind"]) = (json!("k"), json!("A"));
        let text = write("Report", &json!({"items": [first, row("other")], "totals": {"net": "9", "documents": 9}}));
        assert_eq!(text, "key,label,kind,figures.net,figures.documents\r\nk,plain,A,1.00,2\r\n,other,,1.00,2\r\n");
        assert_eq!(write("Report", &json!({"items": []})), "key,label,kind,figures.net,figures.documents\r\n");
    }

    #[test]
    fn what_would_break_a_line_is_quoted() {
        for (label, cell) in [
            ("a,b", "\"a,b\""),
            ("a \"b\"", "\"a \"\"b\"\"\""),
            ("a\r\nb", "\"a\r\nb\""),
            ("a\nb", "\"a\nb\""),
            (" a ", " a "),
            ("", ""),
            ("Straße 北京", "Straße 北京"),
        ] {
            let text = write("Report", &json!({"items": [row(label)]}));
            assert_eq!(text.split_once("\r\n").unwrap().1, format!(",{cell},,1.00,2\r\n"), "{label:?}");
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let read: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            assert_eq!((read.len(), read[0].get(1)), (1, Some(label)));
        }
    }

    #[test]
    fn no_text_is_a_formula() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("+49 30", "'+49 30"),
            ("+1", "'+1"),
            ("-a", "'-a"),
            ("-1+2", "'-1+2"),
            ("-", "'-"),
            ("-1.", "'-1."),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            ("\n=1", "'\n=1"),
            ("-1.000000", "-1.000000"),
            ("-12", "-12"),
            ("a=1", "a=1"),
            ("'=1", "'=1"),
        ] {
            assert_eq!(defuse(text), written, "{text:?}");
        }
    }

    #[test]
    fn a_list_within_makes_a_line_for_each_entry() {
        let figures = |net: &str| json!({"net": net, "documents": 1});
        let goods = json!({"items": [
            {"id": "a", "values": [figures("1"), figures("2")], "isNew": true}, {"id": "b", "values": [], "isNew": false}]});
        let head = "id,values.net,values.documents,isNew\r\n";
        assert_eq!(write("Goods", &goods), format!("{head}a,1,1,true\r\na,2,1,true\r\nb,,,false\r\n"));
        let order = json!({"total": "3", "invoices": [figures("1")]});
        assert_eq!(write("Order", &order), "total,invoices.net,invoices.documents\r\n3,1,1\r\n");
    }

    #[test]
    fn the_next_page_is_reported() {
        let csv = compile_table("Report").unwrap();
        let next = |answer: Value| csv.write(answer.to_string().as_bytes()).unwrap().next;
        assert_eq!(next(json!({"items": [], "nextCursor": "c"})), Some("c".to_owned()));
        assert_eq!(next(json!({"items": [], "nextCursor": null})), None);
        assert!(csv.write(b"{}").is_err() && csv.write(b"{").is_err());
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for (schema, why) in [
            (json!({"$ref": "#/$defs/Loop"}), "too deep"),
            (json!({"$ref": "#/$defs/None"}), "names no schema"),
            (json!({"type": "object"}), "no members"),
            (json!({"properties": {"a": {"type": "object"}}}), "no cell"),
            (json!({"properties": {"a": {"type": "array", "items": {"type": "string"}}}}), "no rows"),
            (
                json!({"properties": {"a": {"items": {"$ref": "#/$defs/Row"}}, "b": {"items": {"$ref": "#/$defs/Row"}}}}),
                "no rows",
            ),
            (json!({"properties": {"a": {"items": {"$ref": "#/$defs/Goods"}}}}), "no rows"),
            (json!({"properties": {"items": {"type": "string"}}}), "no list"),
        ] {
            let reported = Csv::compile(&schema, &schemas()).unwrap_err();
            assert!(reported.contains(why), "{schema}: {reported}");
        }
    }
}
