//! One operation: what the contract says of it, and the function that runs it. A module is a table of these.

use schemars::JsonSchema;
use serde_json::Value;
use stoa_descriptor::{Access, Audience, Idempotency, Route, Schemas};

use crate::bindings::exports::commerce::platform::module::Call;
use crate::reply::Answer;

/// Bytes of a body unless an operation says otherwise.
const BODY_LIMIT: u64 = 1 << 20;

type SchemaOf = fn(&mut Schemas) -> Value;

/// A row of a module's table; built in constants, so that finding an operation costs nothing.
#[derive(Clone, Copy)]
pub struct Operation {
    method: &'static str,
    path: &'static str,
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Call) -> Answer,
    summary: &'static str,
    description: &'static str,
    audience: Audience,
    permissions: &'static [&'static str],
    any: bool,
    idempotency: Idempotency,
    read_only: bool,
    status: u16,
    path_schema: Option<SchemaOf>,
    query: Option<SchemaOf>,
    body: Option<SchemaOf>,
    response: Option<SchemaOf>,
    if_match: bool,
    body_limit: u64,
    events: &'static [&'static str],
    problems: &'static [&'static str],
    audit: Option<&'static str>,
    cache_control: Option<&'static str>,
    discloses_identifiers: bool,
}

/// The operations of several files as one table: `const OPERATIONS: [Operation; count(PARTS)] = join(PARTS);`.
pub const fn join<const COUNT: usize>(parts: &[&[Operation]]) -> [Operation; COUNT] {
    let mut table = [Operation::new("", "", "", unnamed); COUNT];
    let (mut part, mut to) = (0, 0);
    while part < parts.len() {
        let mut at = 0;
        while at < parts[part].len() {
            table[to] = parts[part][at];
            to += 1;
            at += 1;
        }
        part += 1;
    }
    table
}

/// How many operations the parts have together.
pub const fn count(parts: &[&[Operation]]) -> usize {
    let (mut part, mut sum) = (0, 0);
    while part < parts.len() {
        sum += parts[part].len();
        part += 1;
    }
    sum
}

/// A table with the operations of `own` in the place of those of the same name, and the others of `own` after it: how a module
/// that takes another's place is made from it. `COUNT` is [`extended_count`] of the same tables.
pub const fn extend<const COUNT: usize>(table: &[Operation], own: &[Operation]) -> [Operation; COUNT] {
    let mut extended = [Operation::new("", "", "", unnamed); COUNT];
    let (mut at, mut to) = (0, 0);
    while at < table.len() {
        let mine = position(own, table[at].name);
        extended[to] = if mine < own.len() { own[mine] } else { table[at] };
        to += 1;
        at += 1;
    }
    at = 0;
    while at < own.len() {
        if position(table, own[at].name) == table.len() {
            extended[to] = own[at];
            to += 1;
        }
        at += 1;
    }
    extended
}

/// How many operations [`extend`] gives.
pub const fn extended_count(table: &[Operation], own: &[Operation]) -> usize {
    let (mut at, mut count) = (0, table.len());
    while at < own.len() {
        if position(table, own[at].name) == table.len() {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Where the operation of this name stands; the table's length where none has it.
const fn position(table: &[Operation], name: &str) -> usize {
    let mut at = 0;
    while at < table.len() && !is_same(table[at].name, name) {
        at += 1;
    }
    at
}

/// `==`, for constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

fn unnamed(_: &Call) -> Answer {
    crate::host::fault("an operation without a name")
}

impl Operation {
    const fn new(method: &'static str, path: &'static str, name: &'static str, run: fn(&Call) -> Answer) -> Operation {
        Operation {
            method,
            path,
            name,
            run,
            summary: "",
            description: "",
            audience: Audience::User,
            permissions: &[],
            any: false,
            idempotency: Idempotency::None,
            read_only: false,
            status: 200,
            path_schema: None,
            query: None,
            body: None,
            response: None,
            if_match: false,
            body_limit: BODY_LIMIT,
            events: &[],
            problems: &[],
            audit: None,
            cache_control: None,
            discloses_identifiers: false,
        }
    }

    /// GET: a read in a snapshot.
    pub const fn read(path: &'static str, name: &'static str, run: fn(&Call) -> Answer) -> Operation {
        Operation { read_only: true, ..Operation::new("GET", path, name, run) }
    }

    /// POST that only reads, because its question does not fit a query.
    pub const fn ask(path: &'static str, name: &'static str, run: fn(&Call) -> Answer) -> Operation {
        Operation { read_only: true, ..Operation::new("POST", path, name, run) }
    }

    /// POST that makes a record: 201, key required.
    pub const fn create(path: &'static str, name: &'static str, run: fn(&Call) -> Answer) -> Operation {
        Operation { status: 201, idempotency: Idempotency::Required, ..Operation::new("POST", path, name, run) }
    }

    /// PUT: full replacement, 200, key required.
    pub const fn replace(path: &'static str, name: &'static str, run: fn(&Call) -> Answer) -> Operation {
        Operation { idempotency: Idempotency::Required, if_match: true, ..Operation::new("PUT", path, name, run) }
    }

    /// POST that moves a record to another state: 200, key required.
    pub const fn transition(path: &'static str, name: &'static str, run: fn(&Call) -> Answer) -> Operation {
        Operation { idempotency: Idempotency::Required, if_match: true, ..Operation::new("POST", path, name, run) }
    }

    /// DELETE: 200, key required.
    pub const fn delete(path: &'static str, name: &'static str, run: fn(&Call) -> Answer) -> Operation {
        Operation { idempotency: Idempotency::Required, if_match: true, ..Operation::new("DELETE", path, name, run) }
    }

    /// One line for the contract.
    pub const fn summary(mut self, summary: &'static str) -> Operation {
        self.summary = summary;
        self
    }

    /// What a caller should know beyond the summary.
    pub const fn description(mut self, description: &'static str) -> Operation {
        self.description = description;
        self
    }

    /// Permissions of a person (all of them).
    pub const fn needs(mut self, permissions: &'static [&'static str]) -> Operation {
        self.permissions = permissions;
        self
    }

    /// Permissions of a person, of which one is enough; which of them a request needs is the operation's to say.
    pub const fn needs_any(mut self, permissions: &'static [&'static str]) -> Operation {
        self.permissions = permissions;
        self.any = true;
        self
    }

    /// Every active member may.
    pub const fn for_members(self) -> Operation {
        self.needs_any(&[])
    }

    /// For API clients, with all of these scopes.
    pub const fn machine(mut self, scopes: &'static [&'static str]) -> Operation {
        self.audience = Audience::ApiClient;
        self.permissions = scopes;
        self
    }

    /// Path parameters that are not uuids.
    pub const fn path<T: JsonSchema>(mut self) -> Operation {
        self.path_schema = Some(Schemas::parameters::<T>);
        self
    }

    /// The type that the query parameters are read as.
    pub const fn query<T: JsonSchema>(mut self) -> Operation {
        self.query = Some(Schemas::parameters::<T>);
        self
    }

    /// The type that the body is read as; without one no body is taken.
    pub const fn body<T: JsonSchema>(mut self) -> Operation {
        self.body = Some(Schemas::read::<T>);
        self
    }

    /// The type of the success body.
    pub const fn answers<T: JsonSchema>(mut self) -> Operation {
        self.response = Some(Schemas::answered::<T>);
        self
    }

    /// Largest body in bytes.
    pub const fn body_limit(mut self, bytes: u64) -> Operation {
        self.body_limit = bytes;
        self
    }

    /// Takes no `If-Match`, where its kind of operation would.
    pub const fn without_if_match(mut self) -> Operation {
        self.if_match = false;
        self
    }

    /// Resource type of the audit entry, and the events that the operation may emit.
    pub const fn writes(mut self, audit: &'static str, events: &'static [&'static str]) -> Operation {
        self.audit = Some(audit);
        self.events = events;
        self
    }

    /// Problem codes beyond those that every operation may answer.
    pub const fn problems(mut self, codes: &'static [&'static str]) -> Operation {
        self.problems = codes;
        self
    }

    /// Value of the answer's `Cache-Control`.
    pub const fn cache_control(mut self, value: &'static str) -> Operation {
        self.cache_control = Some(value);
        self
    }

    /// The answer names serial units: the host records the read.
    pub const fn discloses_identifiers(mut self) -> Operation {
        self.discloses_identifiers = true;
        self
    }

    /// The operation's name in the contract.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn route(&self, schemas: &mut Schemas) -> Route {
        let texts = |of: &[&str]| of.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        Route {
            method: self.method.to_owned(),
            path: self.path.to_owned(),
            operation: self.name.to_owned(),
            summary: self.summary.to_owned(),
            description: self.description.to_owned(),
            audience: self.audience,
            access: if self.any { Access::Any(texts(self.permissions)) } else { Access::All(texts(self.permissions)) },
            idempotency: self.idempotency,
            read_only: self.read_only,
            status: self.status,
            path_schema: self.path_schema.map(|of| of(schemas)),
            query: self.query.map(|of| of(schemas)),
            body: self.body.map(|of| of(schemas)),
            response: self.response.map_or_else(|| serde_json::json!({ "type": "object" }), |of| of(schemas)),
            if_match: self.if_match,
            body_limit: self.body_limit,
            events: texts(self.events),
            problems: texts(self.problems),
            audit: self.audit.map(str::to_owned),
            cache_control: self.cache_control.map(str::to_owned),
            discloses_identifiers: self.discloses_identifiers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn named(name: &'static str, path: &'static str) -> Operation {
        Operation::read(path, name, unnamed)
    }

    const TABLE: &[Operation] = &[named("a", "/1"), named("ab", "/1"), named("b", "/1")];
    const OWN: &[Operation] = &[named("c", "/2"), named("ab", "/2")];
    const EXTENDED: [Operation; extended_count(TABLE, OWN)] = extend(TABLE, OWN);

    #[test]
    fn a_table_is_extended_by_name() {
        let shown: Vec<_> = EXTENDED.iter().map(|operation| (operation.name, operation.path)).collect();
        assert_eq!(shown, [("a", "/1"), ("ab", "/2"), ("b", "/1"), ("c", "/2")]);
    }
}
