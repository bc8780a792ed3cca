//! One operation of a table: its words in the contract, and the function that runs it. Modules and the host state
//! theirs as tables of these.

use schemars::JsonSchema;
use serde_json::{Value as Json, json};

use crate::{Access, Audience, Idempotency, Route, Schemas};

/// Bytes of a body unless an operation says otherwise.
const BODY_LIMIT: u64 = 1 << 20;

type SchemaOf = fn(&mut Schemas) -> Json;

/// A row of a table, built in constants, so that finding an operation costs nothing. `R` runs it.
#[derive(Clone, Copy)]
pub struct Operation<R> {
    method: &'static str,
    path: &'static str,
    name: &'static str,
    run: R,
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
    item_codes: &'static [&'static str],
    reaches: &'static [&'static str],
    audit: Option<&'static str>,
    cache_control: Option<&'static str>,
    discloses_identifiers: bool,
    csv: bool,
    heavy: bool,
    grows_with: Option<&'static str>,
    client: Option<Client<R>>,
    is_twin: bool,
}

impl<R: Copy> Operation<R> {
    const fn new(method: &'static str, path: &'static str, name: &'static str, run: R) -> Operation<R> {
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
            item_codes: &[],
            reaches: &[],
            audit: None,
            cache_control: None,
            discloses_identifiers: false,
            csv: false,
            heavy: false,
            grows_with: None,
            client: None,
            is_twin: false,
        }
    }

    /// GET: a read in a snapshot.
    pub const fn read(path: &'static str, name: &'static str, run: R) -> Operation<R> {
        Operation { read_only: true, ..Operation::new("GET", path, name, run) }
    }

    /// POST that only reads, because its question does not fit a query.
    pub const fn ask(path: &'static str, name: &'static str, run: R) -> Operation<R> {
        Operation { read_only: true, ..Operation::new("POST", path, name, run) }
    }

    /// POST that makes a record: 201, key required.
    pub const fn create(path: &'static str, name: &'static str, run: R) -> Operation<R> {
        Operation { status: 201, idempotency: Idempotency::Required, ..Operation::new("POST", path, name, run) }
    }

    /// POST of a command that may be sent without a key: 201.
    pub const fn command(path: &'static str, name: &'static str, run: R) -> Operation<R> {
        Operation { idempotency: Idempotency::Optional, ..Operation::create(path, name, run) }
    }

    /// PATCH of one member: 200, key required.
    pub const fn set(path: &'static str, name: &'static str, run: R) -> Operation<R> {
        Operation { idempotency: Idempotency::Required, if_match: true, ..Operation::new("PATCH", path, name, run) }
    }

    /// PUT: full replacement, 200, key required.
    pub const fn replace(path: &'static str, name: &'static str, run: R) -> Operation<R> {
        Operation { idempotency: Idempotency::Required, if_match: true, ..Operation::new("PUT", path, name, run) }
    }

    /// POST that moves a record to another state: 200, key required.
    pub const fn transition(path: &'static str, name: &'static str, run: R) -> Operation<R> {
        Operation { idempotency: Idempotency::Required, if_match: true, ..Operation::new("POST", path, name, run) }
    }

    /// DELETE: 200, key required.
    pub const fn delete(path: &'static str, name: &'static str, run: R) -> Operation<R> {
        Operation { idempotency: Idempotency::Required, if_match: true, ..Operation::new("DELETE", path, name, run) }
    }

    /// One line for the contract.
    pub const fn summary(mut self, summary: &'static str) -> Operation<R> {
        self.summary = summary;
        self
    }

    /// Text for callers beyond the summary.
    pub const fn description(mut self, description: &'static str) -> Operation<R> {
        self.description = description;
        self
    }

    /// Permissions of a person (all of them).
    pub const fn needs(mut self, permissions: &'static [&'static str]) -> Operation<R> {
        self.permissions = permissions;
        self
    }

    /// Permissions of a person, of which one is enough; which of them a request needs is the operation's to say.
    pub const fn needs_any(mut self, permissions: &'static [&'static str]) -> Operation<R> {
        self.permissions = permissions;
        self.any = true;
        self
    }

    /// Every active member may.
    pub const fn for_members(self) -> Operation<R> {
        self.needs_any(&[])
    }

    /// For API clients, with all of these scopes.
    pub const fn machine(mut self, scopes: &'static [&'static str]) -> Operation<R> {
        self.audience = Audience::ApiClient;
        self.permissions = scopes;
        self
    }

    /// Path parameters that are not uuids.
    pub const fn path<T: JsonSchema>(mut self) -> Operation<R> {
        self.path_schema = Some(Schemas::parameters::<T>);
        self
    }

    /// The type that the query parameters are read as.
    pub const fn query<T: JsonSchema>(mut self) -> Operation<R> {
        self.query = Some(Schemas::parameters::<T>);
        self
    }

    /// The type that the body is read as; without one no body is taken.
    pub const fn body<T: JsonSchema>(mut self) -> Operation<R> {
        self.body = Some(Schemas::read::<T>);
        self
    }

    /// The type of the success body.
    pub const fn answers<T: JsonSchema>(mut self) -> Operation<R> {
        self.response = Some(Schemas::response::<T>);
        self
    }

    /// Largest body in bytes.
    pub const fn body_limit(mut self, bytes: u64) -> Operation<R> {
        self.body_limit = bytes;
        self
    }

    /// Takes no `If-Match`, where its kind of operation would.
    pub const fn without_if_match(mut self) -> Operation<R> {
        self.if_match = false;
        self
    }

    /// Resource type of the audit entry, and the events that the operation may emit.
    pub const fn writes(mut self, audit: &'static str, events: &'static [&'static str]) -> Operation<R> {
        self.audit = Some(audit);
        self.events = events;
        self
    }

    /// Problem codes beyond those that every operation may answer.
    pub const fn problems(mut self, codes: &'static [&'static str]) -> Operation<R> {
        self.problems = codes;
        self
    }

    /// Codes of items beyond those that every operation may answer.
    pub const fn item_codes(mut self, codes: &'static [&'static str]) -> Operation<R> {
        self.item_codes = codes;
        self
    }

    /// Interfaces of points that the operation may reach, and kinds of events of other modules that it may emit, all through
    /// services too: it may return the problems that extensions declare for them.
    pub const fn reaches(mut self, interfaces_and_kinds: &'static [&'static str]) -> Operation<R> {
        self.reaches = interfaces_and_kinds;
        self
    }

    /// Value of the answer's `Cache-Control`.
    pub const fn cache_control(mut self, value: &'static str) -> Operation<R> {
        self.cache_control = Some(value);
        self
    }

    /// The answer names serial units: the host records the read.
    pub const fn discloses_identifiers(mut self) -> Operation<R> {
        self.discloses_identifiers = true;
        self
    }

    /// Also answers rows as CSV, by `Accept: text/csv`: the entries of the member `items`, else the answer itself. The
    /// host makes them from the type of the answer, which holds no list of lists.
    pub const fn or_csv(mut self) -> Operation<R> {
        self.csv = true;
        self
    }

    /// Reads much, as reports do: few such reads run at once, so that they leave room for everybody else, and each may
    /// take longer than other requests.
    pub const fn heavy(mut self) -> Operation<R> {
        self.heavy = true;
        self
    }

    /// Pointer to the array of the body that the work grows with: the request's limits grow with its entries.
    /// `/lines/*/unitIds`: the lists of all lines together.
    pub const fn grows_with(mut self, array: &'static str) -> Operation<R> {
        self.grows_with = Some(array);
        self
    }

    /// The same operation for API clients, below their own root and named with `api` before it; the twin states the
    /// differences, the rest is this row's.
    pub const fn and_client(mut self, client: Client<R>) -> Operation<R> {
        self.client = Some(client);
        self
    }

    /// Path and name as the row states them, without the twin's prefix.
    pub const fn path_and_name(&self) -> (&'static str, &'static str) {
        (self.path, self.name)
    }

    /// The part that runs it.
    pub const fn runner(&self) -> &R {
        &self.run
    }

    /// The scopes that an API client needs to call it; people's operations take no scopes.
    pub const fn scopes(&self) -> &'static [&'static str] {
        match self.audience {
            Audience::ApiClient => self.permissions,
            Audience::User => &[],
        }
    }

    /// The operation and its twin, if it has one.
    pub fn sides(&self) -> impl Iterator<Item = Operation<R>> {
        [Some(*self), self.client.map(|client| client.complete(self))].into_iter().flatten()
    }

    /// The function of the operation with this name, if it is this one or its twin.
    pub fn run_of(&self, name: &str) -> Option<R> {
        if self.name == name {
            return Some(self.run);
        }
        self.client.filter(|_| is_twin_of(name, self.name)).map(|client| client.run.unwrap_or(self.run))
    }

    /// Its route in the contract, at the path that the row states.
    pub fn route(&self, schemas: &mut Schemas) -> Route {
        let texts = |names: &[&str]| names.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        Route {
            method: self.method.to_owned(),
            path: self.path.to_owned(),
            operation: if self.is_twin { twin_name(self.name) } else { self.name.to_owned() },
            summary: self.summary.to_owned(),
            description: self.description.to_owned(),
            audience: self.audience,
            access: if self.any { Access::Any(texts(self.permissions)) } else { Access::All(texts(self.permissions)) },
            idempotency: self.idempotency,
            read_only: self.read_only,
            status: self.status,
            path_schema: self.path_schema.map(|schema| schema(schemas)),
            query: self.query.map(|schema| schema(schemas)),
            body: self.body.map(|schema| schema(schemas)),
            response: self.response.map_or_else(|| json!({ "type": "object" }), |schema| schema(schemas)),
            if_match: self.if_match,
            body_limit: self.body_limit,
            events: texts(self.events),
            problems: texts(self.problems),
            item_codes: texts(self.item_codes),
            reaches: texts(self.reaches),
            example: None,
            audit: self.audit.map(str::to_owned),
            cache_control: self.cache_control.map(str::to_owned),
            discloses_identifiers: self.discloses_identifiers,
            csv: self.csv,
            heavy: self.heavy,
            grows_with: self.grows_with.map(str::to_owned),
        }
    }
}

/// An operation's differences for API clients from people's: who may call it, and perhaps another projection. It is run
/// as the row is, unless the twin states otherwise.
#[derive(Clone, Copy)]
pub struct Client<R> {
    run: Option<R>,
    scopes: &'static [&'static str],
    any: bool,
    path: Option<&'static str>,
    summary: Option<&'static str>,
    description: Option<&'static str>,
    query: Option<SchemaOf>,
    body: Option<SchemaOf>,
    response: Option<SchemaOf>,
    problems: Option<&'static [&'static str]>,
    item_codes: Option<&'static [&'static str]>,
    cache_control: Option<&'static str>,
}

impl<R: Copy> Client<R> {
    /// For clients with all of these scopes.
    pub const fn new(scopes: &'static [&'static str]) -> Client<R> {
        Client {
            run: None,
            scopes,
            any: false,
            path: None,
            summary: None,
            description: None,
            query: None,
            body: None,
            response: None,
            problems: None,
            item_codes: None,
            cache_control: None,
        }
    }

    /// For clients with one of these scopes.
    pub const fn any_of(scopes: &'static [&'static str]) -> Client<R> {
        Client { any: true, ..Client::new(scopes) }
    }

    /// Another function: for a twin that reads another body or does something else.
    pub const fn run(mut self, run: R) -> Client<R> {
        self.run = Some(run);
        self
    }

    /// Another path below the root.
    pub const fn at(mut self, path: &'static str) -> Client<R> {
        self.path = Some(path);
        self
    }

    /// Another line for the contract.
    pub const fn summary(mut self, summary: &'static str) -> Client<R> {
        self.summary = Some(summary);
        self
    }

    /// Another description; the empty one says nothing.
    pub const fn description(mut self, description: &'static str) -> Client<R> {
        self.description = Some(description);
        self
    }

    /// Other query parameters.
    pub const fn query<T: JsonSchema>(mut self) -> Client<R> {
        self.query = Some(Schemas::parameters::<T>);
        self
    }

    /// Another body.
    pub const fn body<T: JsonSchema>(mut self) -> Client<R> {
        self.body = Some(Schemas::read::<T>);
        self
    }

    /// Another success body: the public projection.
    pub const fn answers<T: JsonSchema>(mut self) -> Client<R> {
        self.response = Some(Schemas::response::<T>);
        self
    }

    /// Other problem codes.
    pub const fn problems(mut self, codes: &'static [&'static str]) -> Client<R> {
        self.problems = Some(codes);
        self
    }

    /// Other codes of items.
    pub const fn item_codes(mut self, codes: &'static [&'static str]) -> Client<R> {
        self.item_codes = Some(codes);
        self
    }

    /// Value of the answer's `Cache-Control`.
    pub const fn cache_control(mut self, value: &'static str) -> Client<R> {
        self.cache_control = Some(value);
        self
    }

    /// The variant of an operation for API clients, with the members that it does not state itself.
    fn complete(self, people: &Operation<R>) -> Operation<R> {
        Operation {
            run: self.run.unwrap_or(people.run),
            audience: Audience::ApiClient,
            permissions: self.scopes,
            any: self.any,
            path: self.path.unwrap_or(people.path),
            summary: self.summary.unwrap_or(people.summary),
            description: self.description.unwrap_or(people.description),
            query: self.query.or(people.query),
            body: self.body.or(people.body),
            response: self.response.or(people.response),
            problems: self.problems.unwrap_or(people.problems),
            item_codes: self.item_codes.unwrap_or(people.item_codes),
            cache_control: self.cache_control.or(people.cache_control),
            // Identifiers of units are never shown to a machine.
            discloses_identifiers: false,
            // Tables are for people.
            csv: false,
            client: None,
            is_twin: true,
            ..*people
        }
    }
}

/// `createPrice` is `apiCreatePrice` for API clients.
fn twin_name(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().fold("api".to_owned(), |twin, letter| twin + letter.encode_utf8(&mut [0; 4])) + letters.as_str()
}

fn is_twin_of(twin: &str, name: &str) -> bool {
    let Some(rest) = twin.strip_prefix("api") else { return false };
    let (mut rest, mut name) = (rest.bytes(), name.bytes());
    rest.next() == name.next().map(|first| first.to_ascii_uppercase()) && rest.eq(name)
}
