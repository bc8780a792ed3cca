//! The schema of a body at work: trims it, judges it, names every fault, and hands on its canonical form.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::{
    explain::Faults,
    json::{self, Malformed},
    pointer::{self, Step, Trail},
    refs,
    tree::{self, Tree},
};
use crate::problem::{Item, Problem};

/// A compiled schema. Made once per operation and generation; shared by all requests.
pub struct Schema {
    schema: Value,
    /// Compiled to find faults of the schema. A generation has some thousand schemas, and a validator takes tens of kilobytes:
    /// one that is not there is compiled for the first body.
    validator: OnceLock<Option<jsonschema::Validator>>,
    tree: Tree,
    /// Values of a body that are read: what its schema allows, and enough beyond to say where it has too many.
    most_values: usize,
}

/// When the schemas of a declaration are judged, with their examples. It takes a third of the processor time of a start, so
/// a program judges each declaration once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    Now,
    /// They passed before.
    Before,
}

/// Values that any body may have before they are reported by their position, and the most that are read of the largest.
const READ_VALUES: std::ops::RangeInclusive<usize> = 20_000..=2_000_000;

impl Schema {
    /// Compiles a schema of draft 2020-12 that refers to `defs` as `#/$defs/Name`. It rejects, with a
    /// message for the module's author, a schema that it cannot enforce: other references, patterns beyond linear time,
    /// normalizations where none happen, defaults that break their own schema.
    pub fn compile(schema: &Value, defs: &Map<String, Value>) -> Result<Schema, String> {
        Schema::compile_as(Judged::Now, schema, defs)
    }

    /// The same of a schema that may have been judged before.
    pub fn compile_as(judged: Judged, schema: &Value, defs: &Map<String, Value>) -> Result<Schema, String> {
        let defs = refs::closure(schema, defs)?;
        let validator = match judged {
            Judged::Now => OnceLock::from(Some(tree::validator(schema, &defs)?)),
            Judged::Before => OnceLock::new(),
        };
        let tree = Tree::compile(schema, defs)?;
        let most_values = tree.most_values(tree.root).clamp(*READ_VALUES.start(), *READ_VALUES.end());
        Ok(Schema { schema: schema.clone(), validator, tree, most_values })
    }

    /// Drops the validator until a body comes.
    pub fn forget_validator(&mut self) {
        self.validator.take();
    }

    #[cfg(test)]
    pub fn has_validator(&self) -> bool {
        self.validator.get().is_some()
    }

    /// None does not happen: the schema was compiled before.
    fn validator(&self) -> Option<&jsonschema::Validator> {
        self.validator.get_or_init(|| self.tree.validator(&self.schema).ok()).as_ref()
    }

    fn is_valid(&self, value: &Value) -> bool {
        self.validator().is_some_and(|validator| validator.is_valid(value))
    }

    /// Reads a body: its text in, its canonical value out. The refusal is MALFORMED_JSON or VALIDATION_FAILED; of a body
    /// with repeated members only those are reported, since the rest depends on which of them was intended.
    pub fn read(&self, text: &[u8]) -> Result<Value, Problem> {
        let mut body = json::parse(text, self.most_values).map_err(|malformed| match malformed {
            Malformed::Syntax => Problem::new("MALFORMED_JSON"),
            Malformed::TooManyValues => Problem::new("VALIDATION_FAILED").with(vec![Item::new("", "TOO_MANY")]),
            Malformed::Repeated(all) => {
                let mut faults = Faults::default();
                all.iter().for_each(|steps| faults.add(self.pointer(steps), "REPEATED"));
                Problem::new("VALIDATION_FAILED").with(faults.into_items())
            }
        })?;
        let items = self.check(&mut body);
        if items.is_empty() { Ok(body) } else { Err(Problem::new("VALIDATION_FAILED").with(items)) }
    }

    /// Trims and judges a body; a valid one is brought into its canonical form with its defaults filled in. Answers its
    /// faults, at most 200, sorted; none means valid.
    pub fn check(&self, body: &mut Value) -> Vec<Item> {
        self.judge(body).into_items()
    }

    /// The faults of a value as it is: nothing is trimmed or filled in. For what is given, not taken.
    pub fn faults(&self, value: &Value) -> Vec<Item> {
        let mut faults = Faults::default();
        if !self.is_valid(value) {
            self.explain(value, &mut faults);
        }
        faults.into_items()
    }

    pub(super) fn judge(&self, body: &mut Value) -> Faults {
        let root = self.tree.root;
        self.tree.trim(root, body);
        let mut faults = Faults::default();
        if has_nul(body) {
            self.find_nul(body, &Trail::ROOT, &mut faults);
        }
        self.tree.find_unbounded(root, body, &Trail::ROOT, &mut faults);
        if !self.is_valid(body) {
            self.explain(body, &mut faults);
        } else if faults.is_empty() {
            faults = self.tree.rewrite(root, body);
        }
        faults
    }

    /// Adds what is wrong with a value that is not valid.
    fn explain(&self, value: &Value, faults: &mut Faults) {
        let root = self.tree.root;
        self.tree.explain(root, value, &Trail::ROOT, faults);
        // A combination that the walk cannot take apart still has its first error.
        if faults.is_empty() {
            match self.validator().map(|validator| validator.validate(value)) {
                Some(Err(error)) => self.tree.tell(root, value, &error, &Trail::ROOT, faults),
                _ => faults.add(String::new(), "FORMAT"),
            }
        }
    }

    /// A checked body without the members that equal their defaults: what a request means, however it is spelt.
    pub fn fingerprint_form(&self, mut body: Value) -> Value {
        self.tree.leave_defaults_out(self.tree.root, &mut body);
        body
    }

    /// The pointer to a position of a body, ending before a name that the schema does not have.
    pub fn pointer(&self, steps: &[Step]) -> String {
        pointer::pointer(&self.tree.hide_unknown_names(self.tree.root, steps))
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// U+0000 is a character to JSON and to no database.
    fn find_nul(&self, value: &Value, trail: &Trail, faults: &mut Faults) {
        if faults.are_full() {
            return;
        }
        match value {
            Value::String(text) if text.contains('\0') => faults.add(self.pointer(&trail.steps()), "FORMAT"),
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    self.find_nul(value, &trail.down(&Step::Index(index)), faults);
                }
            }
            Value::Object(object) => {
                for (name, value) in object {
                    if name.contains('\0') {
                        faults.add(self.pointer(&trail.steps()), "FORMAT");
                    }
                    self.find_nul(value, &trail.down(&Step::Name(name.into())), faults);
                }
            }
            _ => {}
        }
    }
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.as_bytes().contains(&0),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(object) => object.iter().any(|(name, value)| name.as_bytes().contains(&0) || has_nul(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::*;

    fn schema(schema: Value, defs: Value) -> Schema {
        Schema::compile(&schema, defs.as_object().unwrap()).unwrap()
    }

    fn faults(schema: &Schema, mut body: Value) -> Vec<String> {
        schema.check(&mut body).iter().map(|item| format!("{} {}", item.pointer, item.code)).collect()
    }

    fn expect_valid(schema: &Schema, mut body: Value) -> Value {
        let items = schema.check(&mut body);
        assert!(items.is_empty(), "{items:?}");
        body
    }

    /// As schemars writes it for the SDK.
    fn product() -> Schema {
        schema(
            json!({"$ref": "#/$defs/ProductInput"}),
            json!({
                "ProductInput": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["name", "unitOfMeasure"],
                    "properties": {
                        "name": {"type": "string", "minLength": 1, "maxLength": 5, "x-normalize": ["trim"]},
                        "unitOfMeasure": {"$ref": "#/$defs/Code"},
                        "categoryId": {"type": ["string", "null"], "format": "uuid", "default": null},
                        "tracked": {"type": "boolean", "default": false},
                        "status": {"$ref": "#/$defs/Status", "default": "DRAFT"},
                        "mode": {"anyOf": [{"$ref": "#/$defs/Mode"}, {"type": "null"}], "default": null},
                        "price": {"type": ["string", "null"], "pattern": "^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$", "x-normalize": ["decimal"]},
                        "position": {"type": "integer", "minimum": 0, "maximum": 10000, "format": "uint32", "default": 0},
                        "attributes": {"type": "object", "default": {}},
                        "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 3}},
                        "variants": {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/VariantInput"}, "default": []},
                        "profile": {"$ref": "#/$defs/Profile", "default": {}},
                    },
                },
                "Code": {"type": "string", "pattern": "^[A-Za-z][A-Z0-9a-z_]{0,15}$", "x-normalize": ["trim", "upper"]},
                "Status": {"type": "string", "enum": ["DRAFT", "PUBLISHED"]},
                "Mode": {"oneOf": [
                    {"description": "One.", "type": "string", "const": "SINGLE"},
                    {"description": "Many.", "type": "string", "const": "MULTIPLE"},
                ]},
                "VariantInput": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["sku"],
                    "properties": {
                        "sku": {"type": "string", "pattern": "^[A-Z0-9]+$"},
                        "aliases": {"type": "array", "maxItems": 2, "uniqueItems": true, "default": [],
                                    "items": {"type": "string", "minLength": 1, "x-normalize": ["trim", "lower"]}},
                    },
                },
                "Profile": {"type": "object", "additionalProperties": false, "properties": {
                    "level": {"type": "integer", "default": 1}, "note": {"type": ["string", "null"], "default": null},
                }},
            }),
        )
    }

    #[test]
    fn faults_and_their_places() {
        let product = product();
        let base = json!({"name": "Phone", "unitOfMeasure": "UNIT"});
        let with = |name: &str, value: Value| {
            let mut body = base.clone();
            body[name] = value;
            body
        };
        assert_eq!(faults(&product, base.clone()), [""; 0]);
        for (body, expected) in [
            (json!({}), vec!["/name REQUIRED", "/unitOfMeasure REQUIRED"]),
            (json!([]), vec![" TYPE"]),
            (json!(null), vec![" TYPE"]),
            (with("secret", json!(1)), vec![" NOT_ALLOWED"]),
            (with("name", json!(1)), vec!["/name TYPE"]),
            (with("name", json!("   ")), vec!["/name RANGE"]),
            (with("name", json!("sixsix")), vec!["/name RANGE"]),
            (with("name", json!("  😀😀😀😀😀 ")), vec![]),
            (with("name", json!("a\0")), vec!["/name FORMAT"]),
            (with("unitOfMeasure", json!("1x")), vec!["/unitOfMeasure FORMAT"]),
            (with("unitOfMeasure", json!({})), vec!["/unitOfMeasure TYPE"]),
            (with("categoryId", json!("x")), vec!["/categoryId FORMAT"]),
            (with("categoryId", json!(null)), vec![]),
            (with("categoryId", json!(1)), vec!["/categoryId TYPE"]),
            (with("tracked", json!(null)), vec!["/tracked TYPE"]),
            (with("tracked", json!("true")), vec!["/tracked TYPE"]),
            (with("status", json!("GONE")), vec!["/status FORMAT"]),
            (with("status", json!(1)), vec!["/status TYPE"]),
            (with("mode", json!("GONE")), vec!["/mode FORMAT"]),
            (with("mode", json!(1)), vec!["/mode TYPE"]),
            (with("mode", json!(null)), vec![]),
            (with("price", json!(1.5)), vec!["/price TYPE"]),
            (with("price", json!("1e3")), vec!["/price FORMAT"]),
            (with("price", json!("-1")), vec!["/price FORMAT"]),
            (with("price", json!("1.0000000")), vec!["/price FORMAT"]),
            (with("price", json!("1234567890123")), vec!["/price FORMAT"]),
            (with("price", json!("1\n")), vec!["/price FORMAT"]),
            (with("price", json!("١")), vec!["/price FORMAT"]),
            (with("position", json!(10001)), vec!["/position RANGE"]),
            (with("position", json!(1.5)), vec!["/position TYPE"]),
            (with("position", json!("1")), vec!["/position TYPE"]),
            (with("profile", json!({"level": 1e300})), vec!["/profile/level RANGE"]),
            (with("profile", json!({"level": u64::MAX})), vec!["/profile/level RANGE"]),
            (with("profile", json!({"other": 1})), vec!["/profile NOT_ALLOWED"]),
            (with("attributes", json!({"typed": ["a", "b\0"]})), vec!["/attributes FORMAT"]),
            (with("attributes", json!({"typed\0": 1})), vec!["/attributes FORMAT"]),
            (with("labels", json!({"typed": "four", "other": 1})), vec!["/labels RANGE", "/labels TYPE"]),
            (
                with("variants", json!([{"sku": "a"}, {}, {"sku": "A", "x": 1}])),
                vec!["/variants/0/sku FORMAT", "/variants/1/sku REQUIRED", "/variants/2 NOT_ALLOWED"],
            ),
            (with("variants", json!([{"sku": "A", "aliases": ["a", " a"]}])), vec!["/variants/0/aliases REPEATED"]),
            (
                with("variants", json!([{"sku": "A", "aliases": ["a", "b", ""]}])),
                vec!["/variants/0/aliases TOO_MANY", "/variants/0/aliases/2 RANGE"],
            ),
            (
                with("variants", json!([1, 2, 3, 4])),
                vec![
                    "/variants TOO_MANY",
                    "/variants/0 TYPE",
                    "/variants/1 TYPE",
                    "/variants/2 TYPE",
                    "/variants/3 TYPE",
                ],
            ),
        ] {
            assert_eq!(faults(&product, body.clone()), expected, "{body}");
        }
    }

    #[test]
    fn a_valid_body_in_canonical_form() {
        let product = product();
        let body = json!({
            "name": " Phone ", "unitOfMeasure": "unit", "categoryId": "0192F0C1-7E57-7ABC-8DEF-0123456789AB", "price": "1.500",
            "position": 1e0, "variants": [{"sku": "A", "aliases": [" Éa "]}, {"sku": "B"}], "profile": {"level": 2.0},
            "attributes": {"n": 1.0},
        });
        let whole = expect_valid(&product, body.clone());
        assert_eq!(
            whole,
            json!({
                "name": "Phone", "unitOfMeasure": "UNIT", "categoryId": "0192f0c1-7e57-7abc-8def-0123456789ab", "price": "1.5",
                "position": 1, "variants": [{"sku": "A", "aliases": ["Éa"]}, {"sku": "B", "aliases": []}],
                "profile": {"level": 2, "note": null}, "attributes": {"n": 1.0}, "tracked": false, "status": "DRAFT", "mode": null,
            })
        );
        assert_eq!(
            product.fingerprint_form(whole.clone()),
            json!({
                "name": "Phone", "unitOfMeasure": "UNIT", "categoryId": "0192f0c1-7e57-7abc-8def-0123456789ab", "price": "1.5",
                "position": 1, "variants": [{"sku": "A", "aliases": ["Éa"]}, {"sku": "B"}], "profile": {"level": 2},
                "attributes": {"n": 1.0},
            })
        );
        // Checked twice is checked once.
        assert_eq!(expect_valid(&product, whole.clone()), whole);
        let least = json!({"name": "Phone", "unitOfMeasure": "UNIT"});
        let filled = expect_valid(&product, least.clone());
        assert_eq!(filled["profile"], json!({"level": 1, "note": null}));
        assert_eq!(product.fingerprint_form(filled), least);
        let spelt = json!({"name": "Phone", "unitOfMeasure": "UNIT", "profile": {}, "tracked": false, "variants": []});
        assert_eq!(product.fingerprint_form(expect_valid(&product, spelt)), least);
    }

    fn command() -> Schema {
        schema(
            json!({"oneOf": [
                {"type": "object", "additionalProperties": false, "required": ["kind", "code"], "properties": {
                    "kind": {"const": "create_role"}, "code": {"type": "string", "pattern": "^[a-zA-Z]+$", "x-normalize": ["trim", "upper"]},
                    "permissions": {"type": "array", "items": {"type": "string"}, "default": []}}},
                {"type": "object", "additionalProperties": false, "required": ["kind", "roleId"], "properties": {
                    "kind": {"const": "disable_role"}, "roleId": {"type": "string", "format": "uuid"}}},
            ]}),
            json!({}),
        )
    }

    #[test]
    fn unions_by_a_tag() {
        let command = command();
        for (body, expected) in [
            (json!({}), vec!["/kind REQUIRED"]),
            (json!(1), vec![" TYPE"]),
            (json!({"kind": "other"}), vec!["/kind FORMAT"]),
            (json!({"kind": 1}), vec!["/kind FORMAT"]),
            (json!({"kind": "create_role"}), vec!["/code REQUIRED"]),
            (json!({"kind": "create_role", "code": 1, "x": 2}), vec![" NOT_ALLOWED", "/code TYPE"]),
            (json!({"kind": "create_role", "code": "A", "roleId": "x"}), vec![" NOT_ALLOWED"]),
            (json!({"kind": "disable_role", "roleId": "x"}), vec!["/roleId FORMAT"]),
        ] {
            assert_eq!(faults(&command, body.clone()), expected, "{body}");
        }
        assert_eq!(
            expect_valid(&command, json!({"kind": "create_role", "code": " abc"})),
            json!({"kind": "create_role", "code": "ABC", "permissions": []})
        );
    }

    #[test]
    fn unions_by_shape_and_combinations() {
        let checkout = schema(
            json!({
                "type": "object",
                "properties": {
                    "tendered": {"type": "string"}, "payments": {"type": "array", "items": {"$ref": "#/$defs/Component"}},
                },
                "additionalProperties": false,
                "oneOf": [{"required": ["tendered"]}, {"required": ["payments"]}],
            }),
            json!({"Component": {
                "type": "object",
                "properties": {"method": {"enum": ["CASH", "CARD"]}, "cardKind": {"type": "string"}, "accountId": {"type": "string"}},
                "required": ["method"],
                "if": {"properties": {"method": {"const": "CARD"}}, "required": ["method"]},
                "then": {"required": ["cardKind"]},
                "else": {"properties": {"cardKind": false}},
                "dependentRequired": {"accountId": ["cardKind"]},
            }}),
        );
        for (body, expected) in [
            (json!({"tendered": "1"}), vec![]),
            (json!({"payments": [{"method": "CARD", "cardKind": "DEBIT"}]}), vec![]),
            (json!({}), vec![" NOT_ALLOWED"]),
            (json!({"tendered": "1", "payments": []}), vec![" NOT_ALLOWED"]),
            (json!({"payments": [{"method": "CARD"}]}), vec!["/payments/0/cardKind REQUIRED"]),
            (json!({"payments": [{"method": "CASH", "cardKind": "DEBIT"}]}), vec!["/payments/0/cardKind NOT_ALLOWED"]),
            (json!({"payments": [{"method": "CASH", "accountId": "a"}]}), vec!["/payments/0/cardKind REQUIRED"]),
            (json!({"payments": [{"method": "X"}]}), vec!["/payments/0/method FORMAT"]),
        ] {
            assert_eq!(faults(&checkout, body.clone()), expected, "{body}");
        }
        let either = schema(
            json!({"anyOf": [
                {"type": "string", "format": "uuid"},
                {"type": "string", "pattern": "^[a-z]+$", "x-normalize": ["upper"]},
                {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}, "additionalProperties": false},
                {"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}, "additionalProperties": false},
            ]}),
            json!({}),
        );
        for (body, expected) in [
            (json!("!"), vec![" FORMAT"]),
            (json!({"a": "x"}), vec!["/a TYPE"]),
            (json!({"b": "x"}), vec!["/b TYPE"]),
            (json!({}), vec![" NOT_ALLOWED"]),
            (json!(true), vec![" TYPE"]),
        ] {
            assert_eq!(faults(&either, body.clone()), expected, "{body}");
        }
        assert_eq!(expect_valid(&either, json!("abc")), json!("ABC"));
        assert_eq!(
            expect_valid(&either, json!("0192F0C1-7E57-7ABC-8DEF-0123456789AB")),
            json!("0192f0c1-7e57-7abc-8def-0123456789ab")
        );
        assert_eq!(expect_valid(&either, json!({"b": 2.0})), json!({"b": 2}));
    }

    #[test]
    fn all_of_recursion_and_the_last_resort() {
        let tree = schema(
            json!({"$ref": "#/$defs/Folder"}),
            json!({"Folder": {
                "allOf": [{"$ref": "#/$defs/Named"}, {"properties": {"folders": {"type": "array", "items": {"$ref": "#/$defs/Folder"}, "default": []}}}],
                "unevaluatedProperties": false,
            }, "Named": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "x-normalize": ["trim"]}, "size": {"type": "integer", "default": 0}}}}),
        );
        assert_eq!(
            expect_valid(&tree, json!({"name": "a ", "folders": [{"name": " b", "size": 3.0}]})),
            json!({"name": "a", "folders": [{"name": "b", "size": 3, "folders": []}], "size": 0})
        );
        assert_eq!(
            faults(&tree, json!({"name": "a", "folders": [{"name": 1}, {}]})),
            ["/folders/0/name TYPE", "/folders/1/name REQUIRED"]
        );
        assert_eq!(faults(&tree, json!({"name": "a", "typed": 1})), [" NOT_ALLOWED"]);
        assert_eq!(
            faults(&tree, json!({"name": "a", "folders": [{"name": "b", "typed": 1}]})),
            ["/folders/0 NOT_ALLOWED"]
        );
        let mapped = schema(
            json!({"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": false, "properties": {"a": {"type": "string"}}, "minProperties": 1, "maxProperties": 2}),
            json!({}),
        );
        for (body, expected) in [
            (json!({"x-1": 1, "a": "b"}), vec![]),
            (json!({"x-1": "1"}), vec![" TYPE"]),
            (json!({"y": 1}), vec![" NOT_ALLOWED"]),
            (json!({}), vec![" TOO_FEW"]),
            (json!({"a": "b", "x-1": 1, "x-2": 2}), vec![" TOO_MANY"]),
        ] {
            assert_eq!(faults(&mapped, body.clone()), expected, "{body}");
        }
    }

    #[test]
    fn reading_tells_no_name_that_was_made_up() {
        let product = product();
        let reported = |text: &str| {
            let problem = product.read(text.as_bytes()).unwrap_err();
            let items: Vec<String> =
                problem.errors.iter().map(|item| format!("{} {}", item.pointer, item.code)).collect();
            (problem.code.into_owned(), items.join(", "))
        };
        for (text, code, items) in [
            ("{", "MALFORMED_JSON", ""),
            (r#"{"name":"a","name":"b"}"#, "VALIDATION_FAILED", "/name REPEATED"),
            (r#"{"typed":1,"typed":2}"#, "VALIDATION_FAILED", " REPEATED"),
            (r#"{"typed":{"name":1,"name":2}}"#, "VALIDATION_FAILED", " REPEATED"),
            (r#"{"attributes":{"x":{"y":1,"y":2}}}"#, "VALIDATION_FAILED", "/attributes REPEATED"),
            (r#"{"variants":[{},{"sku":"A","sku":"B"}]}"#, "VALIDATION_FAILED", "/variants/1/sku REPEATED"),
            (r#"{"name":"a","unitOfMeasure":"A","typed":1}"#, "VALIDATION_FAILED", " NOT_ALLOWED"),
        ] {
            assert_eq!(reported(text), (code.into(), items.into()), "{text}");
        }
        assert!(product.read(br#"{"name":"a","unitOfMeasure":"A"}"#).is_ok());
    }

    #[test]
    fn schemas_that_are_refused() {
        for (bad, defs, word) in [
            (json!({"$ref": "#/$defs/None"}), json!({}), "names no schema"),
            (json!({"$ref": "https://example.com/x"}), json!({}), "not of the form"),
            (json!({"$id": "https://example.com/x"}), json!({}), "$id"),
            (json!({"$schema": "http://json-schema.org/draft-07/schema#"}), json!({}), "2020-12"),
            (json!({"type": "strin"}), json!({}), "strin"),
            (json!({"pattern": "(?=a)b"}), json!({}), ""),
            (json!({"pattern": "^(([a-z]{1,50}|[0-9]{2,60}xN){1,40}){1,20}$"}), json!({}), "65536 bytes"),
            (json!({"patternProperties": {"^(([a-z]{1,50}){1,50}){1,20}$": true}}), json!({}), "65536 bytes"),
            (json!({"x-normalize": ["reverse"]}), json!({}), "reverse"),
            (json!({"if": {"properties": {"a": {"x-normalize": ["trim"]}}}}), json!({}), "below if"),
            (json!({"then": {"$ref": "#/$defs/A"}}), json!({"A": {"properties": {"b": {"default": 1}}}}), "below then"),
            (json!({"properties": {"a": {"type": "integer", "default": "x"}}}), json!({}), "default of a"),
            (
                json!({"$ref": "#/$defs/A"}),
                json!({"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}}),
                "itself",
            ),
            (
                json!({"$ref": "#/$defs/A"}),
                json!({"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A", "default": {}}}}}),
                "without end",
            ),
        ] {
            let Err(why) = Schema::compile(&bad, defs.as_object().unwrap()) else { panic!("{bad}") };
            assert!(why.contains(word), "{why}");
        }
    }

    #[test]
    fn two_hundred_faults_of_a_million_promptly() {
        let wide = schema(
            json!({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object"}, "uniqueItems": true}}, "additionalProperties": {"type": "string"}}),
            json!({}),
        );
        let started = Instant::now();
        let mut body = json!({"items": vec![json!(1); 1_000_000]});
        let items = wide.check(&mut body);
        assert_eq!(items.len(), 200);
        assert!(items.is_sorted_by(|a, b| a.pointer <= b.pointer));
        let mut members = Map::new();
        (0..500_000).for_each(|i| drop(members.insert(format!("k{i}"), json!(i))));
        assert_eq!(faults(&wide, Value::Object(members)), [" TYPE"]);
        // Each item compared with each other one would take hours; a busy machine needs some seconds without optimization.
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    }

    #[test]
    fn is_shared_by_threads() {
        fn assert_shareable<T: Send + Sync>() {}
        assert_shareable::<Schema>();
        assert_shareable::<crate::contract::Parameters>();
    }
}
