//! Normalization that the schema declares: trimming before validation; upper and lower case, canonical decimals, integers and
//! uuids after it; defaults filled in for the module and left out of the fingerprint.

use std::borrow::Cow;

use serde_json::{Number, Value, json};

use super::{
    explain::Faults,
    format::canonical_decimal,
    pointer::{Step, Trail},
    tree::{Case, Id, Tree, Types, Union},
};

/// Up to here every integer is a double, so that `1e3` means exactly 1000.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Tree {
    /// Trims the texts whose schema says so. Before validation, hence on anything.
    pub fn trim(&self, id: Id, value: &mut Value) {
        let node = self.node(id);
        if !node.trims {
            return;
        }
        for part in &node.all {
            self.trim(*part, value);
        }
        for branch in node.unions.iter().flat_map(|union| &union.branches) {
            if self.node(*branch).trims && self.may_be(*branch, value) {
                self.trim(*branch, value);
            }
        }
        match value {
            Value::String(text) if node.trim => {
                let trimmed = text.trim();
                if trimmed.len() != text.len() {
                    *text = trimmed.to_owned();
                }
            }
            Value::Array(items) => {
                if let Some(item) = node.items.filter(|item| self.node(*item).trims) {
                    items.iter_mut().for_each(|value| self.trim(item, value));
                }
            }
            Value::Object(object) => {
                for member in node.members.iter().filter(|member| self.node(member.node).trims) {
                    if let Some(value) = object.get_mut(&member.name) {
                        self.trim(member.node, value);
                    }
                }
                if let Some(other) = node.other.filter(|other| self.node(*other).trims) {
                    let others = object.iter_mut().filter(|(name, _)| node.member(name).is_none());
                    others.for_each(|(_, value)| self.trim(other, value));
                }
            }
            _ => {}
        }
    }

    /// Brings a valid value into its canonical form and fills its defaults in. Answers the integers that are too large to
    /// be read exactly.
    pub fn rewrite(&self, id: Id, value: &mut Value) -> Faults {
        let mut faults = Faults::default();
        self.rewrite_at(id, value, &Trail::ROOT, &mut faults);
        faults
    }

    fn rewrite_at(&self, id: Id, value: &mut Value, trail: &Trail, faults: &mut Faults) {
        let node = self.node(id);
        if !node.rewrites || faults.are_full() {
            return;
        }
        // Unions first: their branches are distinguished by the value as it was validated.
        for union in node.unions.iter().filter(|union| union.branches.iter().any(|id| self.node(*id).rewrites)) {
            if let Some(branch) = self.choose_branch(union, value) {
                self.rewrite_at(branch, value, trail, faults);
            }
        }
        for part in &node.all {
            self.rewrite_at(*part, value, trail, faults);
        }
        match value {
            Value::String(text) => {
                if node.uuid || node.case == Some(Case::Lower) {
                    text.make_ascii_lowercase();
                } else if node.case == Some(Case::Upper) {
                    text.make_ascii_uppercase();
                }
                if node.decimal {
                    text.truncate(canonical_decimal(text).len());
                }
            }
            Value::Number(number) if node.integer => match exact(number) {
                Some(whole) => *number = whole.into(),
                None => {
                    let kept = json!({ "minimum": i64::MIN, "maximum": i64::MAX });
                    faults.add_expected(trail.pointer(), "RANGE", Some(kept));
                }
            },
            Value::Array(items) => {
                let Some(item) = node.items.filter(|item| self.node(*item).rewrites) else { return };
                for (index, value) in items.iter_mut().enumerate() {
                    self.rewrite_at(item, value, &trail.down(&Step::Index(index)), faults);
                }
            }
            Value::Object(object) => {
                for member in &node.members {
                    if let Some(value) = object.get_mut(&member.name) {
                        if self.node(member.node).rewrites {
                            let step = Step::Name(Cow::Borrowed(&member.name));
                            self.rewrite_at(member.node, value, &trail.down(&step), faults);
                        }
                    } else if let Some(default) = &member.default {
                        object.insert(member.name.clone(), default.clone());
                    }
                }
                if let Some(other) = node.other.filter(|other| self.node(*other).rewrites) {
                    let others = object.iter_mut().filter(|(name, _)| node.member(name).is_none());
                    others.for_each(|(_, value)| self.rewrite_at(other, value, &trail.down(&Step::Hidden), faults));
                }
            }
            _ => {}
        }
    }

    /// Leaves out the members of a rewritten value that equal their defaults.
    pub fn leave_defaults_out(&self, id: Id, value: &mut Value) {
        let node = self.node(id);
        if !node.defaults {
            return;
        }
        for union in node.unions.iter().filter(|union| union.branches.iter().any(|id| self.node(*id).defaults)) {
            if let Some(branch) = self.choose_branch(union, value) {
                self.leave_defaults_out(branch, value);
            }
        }
        for part in &node.all {
            self.leave_defaults_out(*part, value);
        }
        match value {
            Value::Array(items) => {
                if let Some(item) = node.items {
                    items.iter_mut().for_each(|value| self.leave_defaults_out(item, value));
                }
            }
            Value::Object(object) => object.retain(|name, value| {
                match (node.member(name), node.other) {
                    (Some(member), _) if member.default.as_ref() == Some(value) => return false,
                    (Some(member), _) => self.leave_defaults_out(member.node, value),
                    (None, Some(other)) => self.leave_defaults_out(other, value),
                    (None, None) => {}
                }
                true
            }),
            _ => {}
        }
    }

    /// The branch of a union that a valid value is of; the first if it is of several.
    fn choose_branch(&self, union: &Union, value: &Value) -> Option<Id> {
        let mut fitting = union.branches.iter().copied().filter(|branch| self.may_be(*branch, value));
        let first = fitting.next()?;
        let mut rest = fitting.peekable();
        if rest.peek().is_none() {
            return Some(first);
        }
        std::iter::once(first).chain(rest).find(|branch| self.accepts(*branch, value))
    }

    /// The types of a member's value other than null; none if the schema of the object does not have the name.
    pub fn member_types(&self, name: &str) -> Option<Types> {
        let mut parts = Vec::new();
        self.expand(self.root, &mut parts);
        let found = parts.into_iter().find_map(|part| self.node(part).member(name).map(|member| member.node))?;
        Some(self.types(found).without_null())
    }

    /// The names of the root's members.
    pub fn member_names(&self) -> Vec<&str> {
        let mut parts = Vec::new();
        self.expand(self.root, &mut parts);
        parts.into_iter().flat_map(|part| &self.node(part).members).map(|member| member.name.as_str()).collect()
    }
}

fn exact(number: &Number) -> Option<i64> {
    if let Some(whole) = number.as_i64() {
        return Some(whole);
    }
    let double = number.as_f64().filter(|double| number.is_f64() && double.fract() == 0.0 && double.abs() <= EXACT)?;
    // Exact: whole and at most 2^53.
    Some(double as i64)
}
