//! One operation: what the contract says of it, and the function that runs it. A module is tables of these, one in each file
//! of its folder `operations`.

use schemars::JsonSchema;
use serde_json::Value;
use stoa_descriptor::{Access, Audience, Idempotency, Route, Schemas};

use crate::bindings::exports::commerce::platform::module::Call;
use crate::reply::Answer;

/// Bytes of a body unless an operation says otherwise.
const BODY_LIMIT: u64 = 1 << 20;
/// Prefix of the paths of people's operations.
const COMPANY: &str = "/tenants/{tenantId}";
/// Prefix of the paths of API clients' operations.
const CLIENT: &str = "/api-client";

type SchemaOf = fn(&mut Schemas) -> Value;

/// A row of a module's table; built in constants, so that finding an operation costs nothing.
#[derive(Clone, Copy)]
pub struct Operation {
    method: &'static str,
    path: &'static str,
    name: &'static str,
    run: fn(&Call) -> Answer,
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
    csv: bool,
    heavy: bool,
    grows_with: Option<&'static str>,
    client: Option<Client>,
    is_twin: bool,
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
            csv: false,
            heavy: false,
            grows_with: None,
            client: None,
            is_twin: false,
        }
    }

    /// GET: a read in a snapshot. Paths of all kinds are below the company, or below the root of API clients.
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

    /// Text for callers beyond the summary.
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
        self.response = Some(Schemas::response::<T>);
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

    /// Also answers rows as CSV, by `Accept: text/csv`: the entries of the member `items`, else the answer itself. The host makes
    /// them from the type of the answer, which holds no list of lists.
    pub const fn or_csv(mut self) -> Operation {
        self.csv = true;
        self
    }

    /// Reads much, as reports do: few such reads run at once, so that they leave room for everybody else, and each may take longer
    /// than other requests.
    pub const fn heavy(mut self) -> Operation {
        self.heavy = true;
        self
    }

    /// Pointer to the array of the body that the work grows with: the request's limits grow with its entries. `/lines/*/unitIds`:
    /// the lists of all lines together.
    pub const fn grows_with(mut self, array: &'static str) -> Operation {
        self.grows_with = Some(array);
        self
    }

    /// The same operation for API clients, below their own root and named with `api` before it; what differs is said by the
    /// twin, all else is this row's.
    pub const fn and_client(mut self, client: Client) -> Operation {
        self.client = Some(client);
        self
    }

    /// Path and name as the row states them: below the company, without the twin's prefix.
    pub const fn path_and_name(&self) -> (&'static str, &'static str) {
        (self.path, self.name)
    }

    /// The operation and its twin, if it has one.
    pub(crate) fn sides(&self) -> impl Iterator<Item = Operation> {
        [Some(*self), self.client.map(|client| client.of(self))].into_iter().flatten()
    }

    /// The function of the operation with this name, if it is this one or its twin.
    pub(crate) fn run_of(&self, name: &str) -> Option<fn(&Call) -> Answer> {
        if self.name == name {
            return Some(self.run);
        }
        self.client.filter(|_| is_twin_of(name, self.name)).map(|client| client.run.unwrap_or(self.run))
    }

    fn published_name(&self) -> String {
        if self.is_twin { twin_name(self.name) } else { self.name.to_owned() }
    }

    fn published_path(&self) -> String {
        let root = match self.audience {
            Audience::User => COMPANY,
            Audience::ApiClient => CLIENT,
        };
        format!("{root}{}", self.path)
    }

    pub(crate) fn route(&self, schemas: &mut Schemas) -> Route {
        let texts = |names: &[&str]| names.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        Route {
            method: self.method.to_owned(),
            path: self.published_path(),
            operation: self.published_name(),
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
            response: self.response.map_or_else(|| serde_json::json!({ "type": "object" }), |schema| schema(schemas)),
            if_match: self.if_match,
            body_limit: self.body_limit,
            events: texts(self.events),
            problems: texts(self.problems),
            audit: self.audit.map(str::to_owned),
            cache_control: self.cache_control.map(str::to_owned),
            discloses_identifiers: self.discloses_identifiers,
            csv: self.csv,
            heavy: self.heavy,
            grows_with: self.grows_with.map(str::to_owned),
        }
    }
}

/// An operation's differences for API clients from people's: who may call it, and perhaps another projection. The function is the
/// row's own, which asks the request's facts who calls, unless the twin states another.
#[derive(Clone, Copy)]
pub struct Client {
    run: Option<fn(&Call) -> Answer>,
    scopes: &'static [&'static str],
    any: bool,
    path: Option<&'static str>,
    summary: Option<&'static str>,
    description: Option<&'static str>,
    query: Option<SchemaOf>,
    body: Option<SchemaOf>,
    response: Option<SchemaOf>,
    problems: Option<&'static [&'static str]>,
    cache_control: Option<&'static str>,
}

impl Client {
    /// For clients with all of these scopes.
    pub const fn new(scopes: &'static [&'static str]) -> Client {
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
            cache_control: None,
        }
    }

    /// For clients with one of these scopes.
    pub const fn any_of(scopes: &'static [&'static str]) -> Client {
        Client { any: true, ..Client::new(scopes) }
    }

    /// Another function: for a twin that reads another body or does something else.
    pub const fn run(mut self, run: fn(&Call) -> Answer) -> Client {
        self.run = Some(run);
        self
    }

    /// Another path below the root.
    pub const fn at(mut self, path: &'static str) -> Client {
        self.path = Some(path);
        self
    }

    /// Another line for the contract.
    pub const fn summary(mut self, summary: &'static str) -> Client {
        self.summary = Some(summary);
        self
    }

    /// Another description; the empty one says nothing.
    pub const fn description(mut self, description: &'static str) -> Client {
        self.description = Some(description);
        self
    }

    /// Other query parameters.
    pub const fn query<T: JsonSchema>(mut self) -> Client {
        self.query = Some(Schemas::parameters::<T>);
        self
    }

    /// Another body.
    pub const fn body<T: JsonSchema>(mut self) -> Client {
        self.body = Some(Schemas::read::<T>);
        self
    }

    /// Another success body: the public projection.
    pub const fn answers<T: JsonSchema>(mut self) -> Client {
        self.response = Some(Schemas::response::<T>);
        self
    }

    /// Other problem codes.
    pub const fn problems(mut self, codes: &'static [&'static str]) -> Client {
        self.problems = Some(codes);
        self
    }

    /// Value of the answer's `Cache-Control`.
    pub const fn cache_control(mut self, value: &'static str) -> Client {
        self.cache_control = Some(value);
        self
    }

    /// The twin of an operation, as an operation.
    fn of(self, people: &Operation) -> Operation {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reply;

    fn people(_: &Call) -> Answer {
        Ok(Reply::json(&"people"))
    }

    fn machine(_: &Call) -> Answer {
        Ok(Reply::json(&"machine"))
    }

    const ROW: Operation = Operation::create("/things", "createThing", people)
        .summary("Create a thing")
        .needs(&["things.write"])
        .problems(&["DUPLICATE"])
        .or_csv()
        .and_client(Client::new(&["things.sync"]).run(machine).summary("Create a thing by machine"));

    #[test]
    fn a_row_and_its_twin_are_two_routes() {
        let routes: Vec<Route> = ROW.sides().map(|side| side.route(&mut Schemas::default())).collect();
        let [people, machine] = routes.as_slice() else { panic!("two sides") };
        assert_eq!((people.path.as_str(), people.operation.as_str()), ("/tenants/{tenantId}/things", "createThing"));
        assert_eq!((machine.path.as_str(), machine.operation.as_str()), ("/api-client/things", "apiCreateThing"));
        assert_eq!(machine.summary, "Create a thing by machine");
        assert_eq!((machine.status, machine.idempotency), (201, Idempotency::Required));
        assert_eq!(machine.access, Access::All(vec!["things.sync".to_owned()]));
        assert_eq!(machine.problems, people.problems);
        assert_eq!((people.csv, machine.csv), (true, false));
    }

    #[test]
    fn a_twin_without_a_function_is_run_by_the_rows() {
        let row = Operation::read("/things", "listThings", people).and_client(Client::new(&["things.sync"]));
        assert_eq!(row.run_of("apiListThings").map(|run| run as usize), Some(people as fn(&Call) -> Answer as usize));
    }

    #[test]
    fn a_call_finds_its_side_by_name() {
        let found = |name: &str| ROW.run_of(name).map(|run| run as usize);
        assert_eq!(found("createThing"), Some(people as fn(&Call) -> Answer as usize));
        assert_eq!(found("apiCreateThing"), Some(machine as fn(&Call) -> Answer as usize));
        for other in ["CreateThing", "apicreateThing", "apiCreateThings", "api", "apiCreateThin", "createThings"] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
