//! Faults of a value, place by place. jsonschema says whether a body is valid; asked for all its errors, it makes one
//! for each of a million bad items before the first can be read. So the faults of a refused body are found by a walk along
//! the tree that stops at as many as an answer shows; each node's own keywords are still judged by jsonschema.

use std::{borrow::Cow, collections::BTreeMap};

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::{Value, json};

use super::{
    expected,
    pointer::{self, Step, Trail},
    tree::{Id, Tree, Types, Union},
};
use crate::problem::Item;

/// The faults found so far: sorted, without repetition, at most as many as an answer shows.
#[derive(Debug, Clone)]
pub struct Faults {
    /// With what was expected, where the schema says it.
    found: BTreeMap<(String, &'static str), Option<Value>>,
    limit: usize,
}

impl Default for Faults {
    fn default() -> Faults {
        Faults::at_most(200)
    }
}

impl Faults {
    pub fn at_most(limit: usize) -> Faults {
        Faults { found: BTreeMap::new(), limit }
    }

    pub fn add(&mut self, pointer: String, code: &'static str) {
        self.add_expected(pointer, code, None);
    }

    /// Adds a fault and what was expected in its place.
    pub fn add_expected(&mut self, pointer: String, code: &'static str, expected: Option<Value>) {
        if !self.are_full() {
            self.found.entry((pointer, code)).or_insert(expected);
        }
    }

    pub fn are_full(&self) -> bool {
        self.found.len() >= self.limit
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Adds the faults of a part whose root is `root`, except where something is known to be wrong already.
    pub fn add_below(&mut self, root: &str, part: Faults) {
        let known: Vec<String> = self.found.keys().map(|(pointer, _)| pointer.clone()).collect();
        for ((pointer, code), expected) in part.found {
            let pointer = format!("{root}{pointer}");
            if !known.contains(&pointer) {
                self.add_expected(pointer, code, expected);
            }
        }
    }

    fn extend(&mut self, other: Faults) {
        other.found.into_iter().for_each(|((pointer, code), expected)| self.add_expected(pointer, code, expected));
    }

    fn has(&self, pointer: &str, code: &'static str) -> bool {
        self.found.contains_key(&(pointer.to_owned(), code))
    }

    /// As items. Where the type is wrong, that the form is wrong too is not news.
    pub fn into_items(self) -> Vec<Item> {
        let plain = |(pointer, code): &(String, &'static str)| *code != "FORMAT" || !self.has(pointer, "TYPE");
        let plain = self.found.iter().filter(|(fault, _)| plain(fault));
        plain
            .map(|((pointer, code), expected)| Item { expected: expected.clone(), ..Item::new(pointer.clone(), code) })
            .collect()
    }
}

impl Tree {
    pub fn accepts(&self, id: Id, value: &Value) -> bool {
        let mut faults = Faults::at_most(1);
        self.explain(id, value, &Trail::ROOT, &mut faults);
        faults.is_empty()
    }

    /// Adds what is wrong with `value`.
    pub fn explain(&self, id: Id, value: &Value, trail: &Trail, faults: &mut Faults) {
        if faults.are_full() {
            return;
        }
        let node = self.node(id);
        if let Some(validator) = self.own(id) {
            for error in validator.iter_errors(value) {
                self.tell(id, value, &error, trail, faults);
            }
        }
        for part in &node.all {
            self.explain(*part, value, trail, faults);
        }
        for union in &node.unions {
            self.explain_union(union, value, trail, faults);
        }
        match value {
            Value::Object(object) => {
                for member in &node.members {
                    if let Some(value) = object.get(&member.name) {
                        let step = Step::Name(Cow::Borrowed(&member.name));
                        self.explain(member.node, value, &trail.down(&step), faults);
                    }
                }
                if node.closed || node.other.is_some() {
                    for value in object.iter().filter(|(name, _)| node.member(name).is_none()).map(|(_, value)| value) {
                        match node.other {
                            Some(other) => self.explain(other, value, &trail.down(&Step::Hidden), faults),
                            None => {
                                let known = node.members.iter().map(|member| member.name.as_str());
                                let unknown =
                                    object.keys().map(String::as_str).filter(|name| node.member(name).is_none());
                                let reported = expected::members(known, unknown);
                                faults.add_expected(trail.pointer(), "NOT_ALLOWED", Some(reported));
                                break;
                            }
                        }
                        if faults.are_full() {
                            return;
                        }
                    }
                }
            }
            Value::Array(items) => {
                let Some(item) = node.items else { return };
                for (index, value) in items.iter().enumerate() {
                    if faults.are_full() {
                        return;
                    }
                    self.explain(item, value, &trail.down(&Step::Index(index)), faults);
                }
            }
            _ => {}
        }
    }

    /// Adds where the value, or what it holds, passes bounds of its schema.
    pub fn find_unbounded(&self, id: Id, value: &Value, trail: &Trail, faults: &mut Faults) {
        let node = self.node(id);
        if !node.bounded || faults.are_full() {
            return;
        }
        if let Some(bounds) = &node.bounds {
            for code in bounds.find_faults(value) {
                faults.add_expected(trail.pointer(), code, Some(bounds.tell(code)));
            }
        }
        let typed = Types::from_value(value);
        let branches = node.unions.iter().flat_map(|union| &union.branches);
        for part in node.all.iter().chain(branches.filter(|branch| self.types(**branch).meets(typed))) {
            self.find_unbounded(*part, value, trail, faults);
        }
        match value {
            Value::Object(object) => {
                for member in node.members.iter().filter(|member| self.node(member.node).bounded) {
                    if let Some(value) = object.get(&member.name) {
                        let step = Step::Name(Cow::Borrowed(&member.name));
                        self.find_unbounded(member.node, value, &trail.down(&step), faults);
                    }
                }
                let Some(other) = node.other.filter(|other| self.node(*other).bounded) else { return };
                for (_, value) in object.iter().filter(|(name, _)| node.member(name).is_none()) {
                    self.find_unbounded(other, value, &trail.down(&Step::Hidden), faults);
                }
            }
            Value::Array(items) => {
                let Some(item) = node.items.filter(|item| self.node(*item).bounded) else { return };
                for (index, value) in items.iter().enumerate() {
                    self.find_unbounded(item, value, &trail.down(&Step::Index(index)), faults);
                }
            }
            _ => {}
        }
    }

    /// The faults of the branch that was intended, as far as type and constants show; else what all branches agree on.
    fn explain_union(&self, union: &Union, value: &Value, trail: &Trail, faults: &mut Faults) {
        let typed: Vec<Id> = union
            .branches
            .iter()
            .copied()
            .filter(|branch| self.types(*branch).meets(Types::from_value(value)))
            .collect();
        let mut meant = typed.iter().copied().filter(|branch| self.may_be(*branch, value)).collect::<Vec<Id>>();
        if let [only] = meant[..] {
            return self.explain(only, value, trail, faults);
        }
        if typed.is_empty() {
            return faults.add(trail.pointer(), "TYPE");
        }
        if meant.is_empty() {
            return typed.iter().for_each(|branch| self.explain_tags(*branch, value, trail, faults));
        }
        let mut each: Vec<Faults> = Vec::new();
        let mut held = 0;
        for branch in meant.drain(..) {
            let mut branch_faults = Faults::default();
            self.explain(branch, value, trail, &mut branch_faults);
            held += usize::from(branch_faults.is_empty());
            each.push(branch_faults);
        }
        if held > 0 {
            if union.one && held > 1 {
                faults.add(trail.pointer(), "NOT_ALLOWED");
            }
            return;
        }
        let mut common = each.first().cloned().unwrap_or_default();
        common.found.retain(|fault, _| each.iter().all(|faults| faults.found.contains_key(fault)));
        for (fault, expected) in &mut common.found {
            // No expectation is reported where branches expect different things.
            if each.iter().any(|faults| faults.found.get(fault) != Some(expected)) {
                *expected = None;
            }
        }
        if !common.is_empty() {
            return faults.extend(common);
        }
        let here = trail.pointer();
        let shape = |faults: &Faults| {
            faults.has(&here, "NOT_ALLOWED")
                || faults.found.keys().any(|(pointer, code)| *code == "REQUIRED" && is_child(pointer, &here))
        };
        each.retain(|faults| !shape(faults));
        match each.pop() {
            Some(only) if each.is_empty() => faults.extend(only),
            _ => faults.add(here, "NOT_ALLOWED"),
        }
    }

    /// Reports the constants that keep `value` from being of a branch of the right type.
    fn explain_tags(&self, id: Id, value: &Value, trail: &Trail, faults: &mut Faults) {
        let node = self.node(id);
        if node.constant.as_ref().is_some_and(|constant| constant != value) {
            let reported = node.constant.as_ref().map(|constant| json!({ "const": constant }));
            faults.add_expected(trail.pointer(), "FORMAT", reported);
        }
        for part in &node.all {
            self.explain_tags(*part, value, trail, faults);
        }
        for member in node.members.iter().filter(|member| self.is_tag(member.node)) {
            let Some(value) = value.get(&member.name) else { continue };
            let step = Step::Name(Cow::Borrowed(&member.name));
            if !self.may_be(member.node, value) {
                self.explain(member.node, value, &trail.down(&step), faults);
            }
        }
    }

    /// Makes a fault of an error that jsonschema found at or below `value`.
    pub fn tell(&self, id: Id, value: &Value, error: &ValidationError, trail: &Trail, faults: &mut Faults) {
        let mut steps = trail.steps();
        let below = steps_below(value, error.instance_path().as_str());
        steps.extend(self.hide_unknown_names(id, &below));
        let code = match error.kind() {
            Kind::Required { property } => {
                if let Some(name) = property.as_str() {
                    steps.push(Step::Name(Cow::Owned(name.to_owned())));
                }
                "REQUIRED"
            }
            Kind::Type { .. } => "TYPE",
            Kind::Minimum { .. }
            | Kind::Maximum { .. }
            | Kind::ExclusiveMinimum { .. }
            | Kind::ExclusiveMaximum { .. }
            | Kind::MultipleOf { .. }
            | Kind::MinLength { .. }
            | Kind::MaxLength { .. } => "RANGE",
            Kind::MaxItems { .. }
            | Kind::MaxProperties { .. }
            | Kind::AdditionalItems { .. }
            | Kind::UnevaluatedItems { .. } => "TOO_MANY",
            Kind::MinItems { .. } | Kind::MinProperties { .. } | Kind::Contains => "TOO_FEW",
            Kind::UniqueItems => "REPEATED",
            Kind::AdditionalProperties { .. }
            | Kind::UnevaluatedProperties { .. }
            | Kind::FalseSchema
            | Kind::Not { .. }
            | Kind::AnyOf { .. }
            | Kind::OneOfMultipleValid { .. }
            | Kind::OneOfNotValid { .. } => "NOT_ALLOWED",
            Kind::Constant { .. }
            | Kind::Enum { .. }
            | Kind::Pattern { .. }
            | Kind::Format { .. }
            | Kind::PropertyNames { .. }
            | Kind::ContentEncoding { .. }
            | Kind::ContentMediaType { .. }
            | Kind::FromUtf8 { .. }
            | Kind::BacktrackLimitExceeded { .. }
            | Kind::RegexEngineFailure { .. }
            | Kind::Custom { .. }
            | Kind::Referencing(_) => "FORMAT",
        };
        faults.add_expected(pointer::pointer(&steps), code, expected::rule(error));
    }

    /// The steps as far as the schema has their names; the first name that the caller made up is hidden.
    pub fn hide_unknown_names(&self, id: Id, steps: &[Step]) -> Vec<Step<'static>> {
        let mut reached = vec![id];
        let mut shown = Vec::new();
        for step in steps {
            let mut here = Vec::new();
            reached.iter().for_each(|id| self.expand(*id, &mut here));
            let nodes = here.iter().map(|id| self.node(*id));
            match step {
                Step::Index(index) => {
                    reached = nodes.filter_map(|node| node.items).collect();
                    shown.push(Step::Index(*index));
                }
                Step::Name(name) => {
                    reached = nodes.filter_map(|node| node.member(name)).map(|member| member.node).collect();
                    if reached.is_empty() {
                        shown.push(Step::Hidden);
                        break;
                    }
                    shown.push(Step::Name(Cow::Owned(name.clone().into_owned())));
                }
                Step::Hidden => break,
            }
        }
        shown
    }
}

/// Reads a pointer as steps; whether `3` is a name or an index depends on the value.
fn steps_below(value: &Value, pointer: &str) -> Vec<Step<'static>> {
    let mut current = Some(value);
    let mut steps = Vec::new();
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        match (current, name.parse()) {
            (Some(Value::Array(items)), Ok(index)) => {
                current = items.get::<usize>(index);
                steps.push(Step::Index(index));
            }
            _ => {
                current = current.and_then(|value| value.get(&name));
                steps.push(Step::Name(Cow::Owned(name)));
            }
        }
    }
    steps
}

fn is_child(pointer: &str, parent: &str) -> bool {
    pointer.strip_prefix(parent).and_then(|rest| rest.strip_prefix('/')).is_some_and(|name| !name.contains('/'))
}
