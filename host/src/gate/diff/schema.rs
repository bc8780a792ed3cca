//! Two JSON Schemas of one position in the contract: what a request may hold, or what a response may. A request's
//! schema may take more and no less; a response's may allow less and no more, but for new members, which every caller
//! has to expect.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::facets::{self, FacetKind};
use super::shape::{self, AllOf, CLASSES, Class, Form, Others, Shape};
use super::{Change, Code, codes};
use crate::contract::refs;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Request,
    Response,
}

/// A schema and the definitions that it refers to as `#/$defs/Name`.
#[derive(Debug, Clone, Copy)]
pub struct SchemaWithDefs<'a> {
    pub schema: &'a Value,
    pub defs: &'a Map<String, Value>,
}

/// Most pairs of positions that are compared, and how deep: beyond, schemas that are not the same count as broken.
const MOST: u32 = 20_000;
const DEEPEST: u32 = 150;

/// Every difference. `item` names the schema; the positions below it follow as a pointer, `*` for every item of an
/// array and
/// `[kind=x]` for one branch of a union.
pub fn compare(direction: Direction, item: &str, old: SchemaWithDefs, new: SchemaWithDefs) -> Vec<Change> {
    let mut walk = Walk {
        direction,
        item,
        old: old.defs,
        new: new.defs,
        met: HashSet::new(),
        trail: Vec::new(),
        left: MOST,
        depth: 0,
        changes: Vec::new(),
    };
    walk.schemas("", &vec![old.schema], &vec![new.schema]);
    walk.changes
}

/// A pair of positions by the addresses of their schemas.
type Pair = (Vec<*const Value>, Vec<*const Value>);

struct Walk<'a> {
    direction: Direction,
    item: &'a str,
    old: &'a Map<String, Value>,
    new: &'a Map<String, Value>,
    /// Pairs that were begun: a recursive schema is compared once.
    met: HashSet<Pair>,
    /// The same, in the order in which they were met.
    trail: Vec<Pair>,
    left: u32,
    depth: u32,
    changes: Vec<Change>,
}

impl<'a> Walk<'a> {
    fn schemas(&mut self, path: &str, old: &AllOf<'a>, new: &AllOf<'a>) {
        let (old, new) = (resolve(old, self.old), resolve(new, self.new));
        let addresses = |schemas: &AllOf| schemas.iter().map(|schema| std::ptr::from_ref(*schema)).collect::<Vec<_>>();
        let pair = (addresses(&old), addresses(&new));
        if !self.met.insert(pair.clone()) {
            return;
        }
        self.trail.push(pair);
        let bounded = self.left > 0 && self.depth < DEEPEST;
        self.left = self.left.saturating_sub(1);
        match (shape::form(&old, self.old), shape::form(&new, self.new)) {
            (Some(was), Some(is)) if bounded => {
                self.depth += 1;
                self.forms(path, &was, &is);
                self.depth -= 1;
            }
            _ if whole(&old, self.old) == whole(&new, self.new) => {}
            _ => self.tell(FacetKind::Rule, path, true, true, "is another, and too large to compare further".into()),
        }
    }

    fn forms(&mut self, path: &str, was: &Form<'a>, is: &Form<'a>) {
        let types = |form: &Form| {
            let classes = CLASSES.into_iter().filter(|class| form.shapes.iter().any(|shape| shape.class == *class));
            classes.map(Some).chain(form.nullable.then_some(None)).collect::<BTreeSet<Option<Class>>>()
        };
        let (before, after) = (types(was), types(is));
        let detail = format!("was {}, now {}", describe_types(was), describe_types(is));
        self.tell(FacetKind::Type, path, !before.is_subset(&after), !after.is_subset(&before), detail);
        for class in CLASSES {
            let shapes =
                |form: &Form<'a>| form.shapes.iter().filter(|shape| shape.class == class).cloned().collect::<Vec<_>>();
            let (was, is) = (shapes(was), shapes(is));
            if !was.is_empty() && !is.is_empty() {
                self.shapes(path, &was, &is);
            }
        }
    }

    /// The ways in which a value of one type may look, before and after: those that belong together are compared.
    fn shapes(&mut self, path: &str, was: &[Shape<'a>], is: &[Shape<'a>]) {
        if let ([was], [is]) = (was, is) {
            return self.shape(path, was, is);
        }
        let old_tags: Vec<_> = was.iter().map(|shape| tags(shape, self.old)).collect();
        let new_tags: Vec<_> = is.iter().map(|shape| tags(shape, self.new)).collect();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        type Alike<'f, 'a> = &'f dyn Fn(&mut Walk<'a>, usize, usize) -> bool;
        let by_tag: Alike<'_, 'a> = &|_, a, b| same_tag(&old_tags[a], &new_tags[b]);
        let by_name: Alike<'_, 'a> =
            &|_, a, b| was[a].name.is_some() && was[a].name == is[b].name && !other_tag(&old_tags[a], &new_tags[b]);
        let by_content: Alike<'_, 'a> = &|walk, a, b| walk.compare_tentatively(&was[a], &is[b]).is_empty();
        for alike in [by_tag, by_name, by_content] {
            for a in 0..was.len() {
                for b in 0..is.len() {
                    let taken = pairs.iter().any(|(old, new)| *old == a || *new == b);
                    if !taken && alike(self, a, b) {
                        pairs.push((a, b));
                    }
                }
            }
        }
        let mut gone: Vec<usize> = (0..was.len()).filter(|index| !pairs.iter().any(|(old, _)| old == index)).collect();
        let mut added: Vec<usize> = (0..is.len()).filter(|index| !pairs.iter().any(|(_, new)| new == index)).collect();
        if let ([a], [b]) = (gone.as_slice(), added.as_slice())
            && !other_tag(&old_tags[*a], &new_tags[*b])
        {
            pairs.push((*a, *b));
            gone.clear();
            added.clear();
        }
        for (a, b) in pairs {
            let path = format!("{path}{}", label(&is[b], &new_tags[b]));
            self.shape(&path, &was[a], &is[b]);
        }
        for a in gone {
            let covered = is.iter().any(|other| !breaks(&self.compare_tentatively(&was[a], other)));
            let label = label(&was[a], &old_tags[a]);
            if !(covered && self.direction == Direction::Request) {
                self.tell(FacetKind::Type, &format!("{path}{label}"), true, false, "one form of it is gone".into());
            }
        }
        for b in added {
            let covered = was.iter().any(|other| !breaks(&self.compare_tentatively(other, &is[b])));
            let label = label(&is[b], &new_tags[b]);
            if !(covered && self.direction == Direction::Response) {
                self.tell(FacetKind::Type, &format!("{path}{label}"), false, true, "one form of it is new".into());
            }
        }
    }

    /// Changes that would be reported of two shapes.
    fn compare_tentatively(&mut self, was: &Shape<'a>, is: &Shape<'a>) -> Vec<Change> {
        let (before, met) = (std::mem::take(&mut self.changes), self.trail.len());
        self.shape("", was, is);
        // Pairs that were met in trying are still to be reported.
        for pair in self.trail.split_off(met) {
            self.met.remove(&pair);
        }
        std::mem::replace(&mut self.changes, before)
    }

    fn shape(&mut self, path: &str, was: &Shape<'a>, is: &Shape<'a>) {
        for found in facets::compare((was, self.old), (is, self.new)) {
            self.tell(found.kind, path, found.narrower, found.wider, found.detail);
        }
        match was.class {
            Class::Array => self.schemas(&format!("{path}/*"), &was.facts.items, &is.facts.items),
            Class::Object => {
                self.members(path, was, is);
                self.others(path, &was.facts.others, &is.facts.others);
            }
            Class::Boolean | Class::Number | Class::String => {}
        }
    }

    fn members(&mut self, path: &str, was: &Shape<'a>, is: &Shape<'a>) {
        let (was, is) = (&was.facts, &is.facts);
        let request = self.direction == Direction::Request;
        let any = AllOf::new();
        let names: BTreeSet<&str> = [&was.members, &is.members]
            .into_iter()
            .flat_map(BTreeMap::keys)
            .chain(&was.required)
            .chain(&is.required)
            .copied()
            .collect();
        for name in names {
            let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            let (before, after) = (was.required.contains(name), is.required.contains(name));
            let old = was.members.get(name).or(before.then_some(&any));
            let new = is.members.get(name).or(after.then_some(&any));
            match (old, new) {
                (Some(old), Some(new)) => {
                    match (before, after, request) {
                        (false, true, true) => self.push(codes::REQUEST_MEMBER_REQUIRED, &path, "was optional"),
                        (true, false, true) => self.push(codes::REQUEST_WIDENED, &path, "may be left out"),
                        (false, true, false) => self.push(codes::RESPONSE_NARROWED, &path, "is always there"),
                        (true, false, false) => self.push(codes::RESPONSE_MEMBER_OPTIONAL, &path, "may be absent"),
                        _ => {}
                    }
                    if request && !before && !after {
                        self.defaults(&path, old, new);
                    }
                    self.schemas(&path, old, new);
                }
                (Some(_), None) if request => self.push(codes::REQUEST_MEMBER_REMOVED, &path, "is no longer taken"),
                (Some(_), None) => self.push(codes::RESPONSE_MEMBER_REMOVED, &path, "is no longer answered"),
                (None, Some(_)) if request && after => self.push(codes::REQUEST_MEMBER_REQUIRED, &path, "is new"),
                (None, Some(new)) => {
                    let code = if request { codes::REQUEST_MEMBER_ADDED } else { codes::RESPONSE_MEMBER_ADDED };
                    self.push(code, &path, "is new");
                    // In a map of one kind the name was taken already.
                    if let Others::Of(old) = &was.others {
                        self.schemas(&path, old, new);
                    }
                }
                (None, None) => {}
            }
        }
    }

    /// Compares the values of an absent member. None and null are the same.
    fn defaults(&mut self, path: &str, old: &AllOf<'a>, new: &AllOf<'a>) {
        let (was, is) = (default(old, self.old), default(new, self.new));
        if was != is {
            self.push(codes::REQUEST_DEFAULT_CHANGED, path, &format!("default: was {was}, now {is}"));
        }
    }

    /// Members that are not named.
    fn others(&mut self, path: &str, was: &Others<'a>, is: &Others<'a>) {
        let path = format!("{path}/*");
        match (self.direction, was, is) {
            (_, Others::Of(was), Others::Of(is)) => self.schemas(&path, was, is),
            (_, Others::Any, Others::Any) | (_, Others::None, Others::None) => {}
            (Direction::Request, Others::Any, _) | (Direction::Request, _, Others::None) => {
                self.push(
                    codes::REQUEST_MEMBERS_CLOSED,
                    &path,
                    "members that are not named are refused, or not all taken",
                );
            }
            (Direction::Request, ..) => {
                self.push(codes::REQUEST_WIDENED, &path, "members that are not named are taken")
            }
            (Direction::Response, Others::Any, _) => {
                self.push(codes::RESPONSE_NARROWED, &path, "members that are not named are of one kind, or absent");
            }
            (Direction::Response, Others::Of(_), Others::None) => {
                self.push(codes::RESPONSE_MEMBER_REMOVED, &path, "members that are not named are no longer answered");
            }
            (Direction::Response, Others::Of(_), Others::Any) => {
                self.push(codes::RESPONSE_MEMBERS_OPENED, &path, "members that are not named may be anything");
            }
            (Direction::Response, Others::None, _) => {
                self.push(codes::RESPONSE_MEMBER_ADDED, &path, "members that are not named are answered");
            }
        }
    }

    fn tell(&mut self, kind: FacetKind, path: &str, narrower: bool, wider: bool, detail: String) {
        let code = match self.direction {
            Direction::Request if narrower => match kind {
                FacetKind::Type => codes::REQUEST_TYPE_NARROWED,
                FacetKind::Values => codes::REQUEST_VALUES_NARROWED,
                FacetKind::Range => codes::REQUEST_RANGE_NARROWED,
                FacetKind::Format => codes::REQUEST_FORMAT_NARROWED,
                FacetKind::Rule => codes::REQUEST_RULE_NARROWED,
                FacetKind::Normalization => codes::REQUEST_NORMALIZATION_CHANGED,
            },
            Direction::Request if wider => codes::REQUEST_WIDENED,
            Direction::Response if wider => match kind {
                FacetKind::Type => codes::RESPONSE_TYPE_WIDENED,
                FacetKind::Values => codes::RESPONSE_VALUES_WIDENED,
                FacetKind::Range => codes::RESPONSE_RANGE_WIDENED,
                FacetKind::Format => codes::RESPONSE_FORMAT_WIDENED,
                FacetKind::Rule => codes::RESPONSE_RULE_WIDENED,
                FacetKind::Normalization => return,
            },
            // Answers are not normalized.
            Direction::Response if narrower && kind != FacetKind::Normalization => codes::RESPONSE_NARROWED,
            _ => return,
        };
        self.push(code, path, &detail);
    }

    fn push(&mut self, code: Code, path: &str, detail: &str) {
        let item = if path.is_empty() { self.item.to_owned() } else { format!("{} {path}", self.item) };
        self.changes.push(Change::new(code, item, detail));
    }
}

fn breaks(changes: &[Change]) -> bool {
    changes.iter().any(|change| change.breaking)
}

/// The types of a form, for a person.
fn describe_types(form: &Form) -> String {
    let all = CLASSES.len() == form.shapes.len() && form.shapes.iter().all(|shape| shape.facts.is_free());
    if all && form.nullable {
        return "anything".to_owned();
    }
    let mut names: Vec<&str> = Vec::new();
    for class in CLASSES {
        let mut shapes = form.shapes.iter().filter(|shape| shape.class == class).peekable();
        if shapes.peek().is_some() {
            names.push(match class {
                Class::Boolean => "boolean",
                Class::Number if shapes.all(|shape| shape.facts.integer) => "integer",
                Class::Number => "number",
                Class::String => "string",
                Class::Array => "array",
                Class::Object => "object",
            });
        }
    }
    names.extend(form.nullable.then_some("null"));
    if names.is_empty() { "nothing".to_owned() } else { names.join(" or ") }
}

/// The schemas of a position with bare references followed, so that a named schema has one address wherever it is used.
fn resolve<'a>(schemas: &AllOf<'a>, defs: &'a Map<String, Value>) -> AllOf<'a> {
    const ANNOTATIONS: [&str; 4] = ["$ref", "description", "title", "default"];
    let follow = |schema: &&'a Value| {
        let mut schema: &'a Value = schema;
        for _ in 0..32 {
            let Some(keywords) = schema.as_object() else { break };
            let bare = keywords.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str()));
            let target =
                keywords.get("$ref").and_then(Value::as_str).and_then(refs::name).and_then(|name| defs.get(name));
            let (true, Some(target)) = (bare, target) else { break };
            schema = target;
        }
        schema
    };
    schemas.iter().map(follow).collect()
}

/// The schemas of a position with all that they refer to.
fn whole(schemas: &AllOf, defs: &Map<String, Value>) -> Vec<(Value, Option<Map<String, Value>>)> {
    schemas.iter().map(|schema| ((*schema).clone(), refs::closure(schema, defs).ok())).collect()
}

fn default<'a>(schemas: &AllOf<'a>, defs: &'a Map<String, Value>) -> &'a Value {
    const NONE: &Value = &Value::Null;
    let stated_default = |schema: &&'a Value| {
        let mut schema: &'a Value = schema;
        for _ in 0..8 {
            if let Some(default) = schema.get("default") {
                return Some(default);
            }
            schema = defs.get(refs::name(schema.get("$ref")?.as_str()?)?)?;
        }
        None
    };
    schemas.iter().find_map(stated_default).unwrap_or(NONE)
}

/// Members that can have only one value: they distinguish the branches of a union.
fn tags<'a>(shape: &Shape<'a>, defs: &'a Map<String, Value>) -> Tags<'a> {
    let constant = |schemas: &AllOf<'a>| {
        resolve(schemas, defs).into_iter().find_map(|schema| {
            let only = schema.get("enum").and_then(Value::as_array).filter(|values| values.len() == 1);
            schema.get("const").or_else(|| only.and_then(|values| values.first()))
        })
    };
    shape.facts.members.iter().filter_map(|(name, schemas)| Some((*name, constant(schemas)?))).collect()
}

type Tags<'a> = BTreeMap<&'a str, &'a Value>;

fn same_tag(old: &Tags, new: &Tags) -> bool {
    old.iter().any(|(name, value)| new.get(name) == Some(value)) && !other_tag(old, new)
}

fn other_tag(old: &Tags, new: &Tags) -> bool {
    old.iter().any(|(name, value)| new.get(name).is_some_and(|other| other != value))
}

fn label(shape: &Shape, tags: &Tags) -> String {
    match (tags.first_key_value(), shape.name) {
        (Some((name, value)), _) => {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("[{name}={value}]")
        }
        (None, Some(name)) => format!("[{name}]"),
        (None, None) => String::new(),
    }
}
