//! The trait of a module, and how the generated contract is implemented for it.

use serde::Deserialize;
use serde_json::Value;
use stoa_descriptor::{Collection, Descriptor, Named, ProblemCode, Schemas};

use crate::bindings::exports::commerce::platform::module::{Call, Created, Findings, Guest, Problem, Reply, Step};
use crate::event::DeclaredEvent;
use crate::extending::{self, Extends, Receives, Shows, Timer};
use crate::extension::listening::exports::commerce::extension::listener;
use crate::extension::timed::exports::commerce::extension::timer;
use crate::extension::viewing::exports::commerce::extension::views;
use crate::hint::Hints;
use crate::host::fault;
use crate::operation::{self, Operation};
use crate::reply::Answer;
use crate::service_access::ServiceAccess;

/// The parts of a module, as constants: the descriptor is made from them.
#[derive(Clone, Copy)]
pub struct Manifest {
    /// `[a-z][a-z0-9-]{0,31}`.
    pub name: &'static str,
    /// Semantic version.
    pub version: &'static str,
    /// In a sentence.
    pub description: &'static str,
    /// Tables of operations. The first one of several of one name counts: a module that takes another's place puts its own before
    /// the other's.
    pub operations: &'static [&'static [Operation]],
    /// `PriceRow::collection`, ...
    pub collections: &'static [fn() -> Collection],
    /// Codes of permissions and what they allow.
    pub permissions: &'static [(&'static str, &'static str)],
    /// Codes of scopes of API clients and what they allow.
    pub scopes: &'static [(&'static str, &'static str)],
    /// `PRICE_CREATED.declare()`, ...
    pub events: &'static [DeclaredEvent],
    /// Problem codes that the platform's list lacks: code, status, and the one sentence that callers receive.
    pub problems: &'static [(&'static str, u16, &'static str)],
    /// Codes of items that the module adds to the shared ones, and the sentence of each.
    pub item_codes: &'static [(&'static str, &'static str)],
    /// Examples by operation id: each the JSON text of a `stoa_descriptor::Example`.
    pub examples: &'static [(&'static str, &'static str)],
    /// Permissions and scopes that callers of its services must hold.
    pub services: &'static [ServiceAccess],
    /// Interfaces of points that the module calls, and when it calls each, in a sentence.
    pub points: &'static [(&'static str, &'static str)],
    /// Points of other modules that it extends.
    pub extends: &'static [Extends],
    /// Events of other modules that it receives.
    pub receives: &'static [Receives],
    /// Its work by the clock.
    pub timers: &'static [Timer],
    /// Members that it adds to responses of other modules.
    pub shows: &'static [Shows],
    /// How the console shows its records.
    pub console: Hints,
    /// Schema of the onboarding members that `provision` reads.
    pub onboarding: Option<fn() -> Value>,
    /// Query parameters of the audit list that find a resource or one of the subjects, and what they are.
    pub audit_filters: &'static [(&'static str, &'static str)],
    /// Names of members and parameters, and what they are: published wherever one has no comment of its own.
    pub words: &'static [(&'static str, &'static str)],
    /// Defaults for a new company; a problem refuses the company.
    pub provision: fn(&ProvisionOptions) -> Result<Vec<Created>, Problem>,
    /// Steps that a company should have done before it can work.
    pub checklist: fn() -> Vec<Step>,
    /// A bounded batch of the module's own invariants: from a cursor on, with the next one.
    pub verify: fn(Option<String>) -> Findings,
}

impl Manifest {
    /// A module with nothing in it: state what differs, `Manifest { operations: .., ..Manifest::new(..) }`.
    pub const fn new(name: &'static str, version: &'static str, description: &'static str) -> Manifest {
        Manifest {
            name,
            version,
            description,
            operations: &[],
            collections: &[],
            permissions: &[],
            scopes: &[],
            events: &[],
            problems: &[],
            item_codes: &[],
            examples: &[],
            services: &[],
            points: &[],
            extends: &[],
            receives: &[],
            timers: &[],
            shows: &[],
            console: Hints::NONE,
            onboarding: None,
            audit_filters: &[],
            words: &[],
            provision: |_| Ok(Vec::new()),
            checklist: Vec::new,
            verify: |_| Findings { findings: Vec::new(), next: None },
        }
    }

    /// Each operation once, without the twins that follow from them.
    pub fn operations(&self) -> impl Iterator<Item = &'static Operation> {
        let tables = self.operations;
        let all = || tables.iter().flat_map(|table| table.iter());
        all().enumerate().filter_map(move |(index, operation)| {
            let is_first = !all().take(index).any(|earlier| earlier.path_and_name().1 == operation.path_and_name().1);
            is_first.then_some(operation)
        })
    }

    /// The whole descriptor.
    pub fn descriptor(&self) -> Descriptor {
        let mut schemas = Schemas::default();
        let pairs = |entries: &[(&str, &str)]| {
            let named = |(code, description): &(&str, &str)| Named {
                code: (*code).to_owned(),
                description: (*description).to_owned(),
            };
            entries.iter().map(named).collect::<Vec<_>>()
        };
        let problem = |(code, status, detail): &(&str, u16, &str)| ProblemCode {
            code: (*code).to_owned(),
            status: *status,
            detail: (*detail).to_owned(),
        };
        let sides = self.operations().flat_map(Operation::sides);
        let mut routes: Vec<_> = sides.map(|side| operation::route(&side, &mut schemas)).collect();
        for (name, text) in self.examples {
            let Some(route) = routes.iter_mut().find(|route| route.operation == *name) else {
                fault(&format!("an example of {name}, which is no operation"));
            };
            let example = serde_json::from_str(text);
            route.example = Some(example.unwrap_or_else(|why| fault(&format!("the example of {name}: {why}"))));
        }
        Descriptor {
            name: self.name.to_owned(),
            version: self.version.to_owned(),
            description: self.description.to_owned(),
            routes,
            collections: self.collections.iter().map(|collection| collection()).collect(),
            permissions: pairs(self.permissions),
            scopes: pairs(self.scopes),
            events: self.events.iter().map(|event| event.describe(&mut schemas)).collect(),
            problems: self.problems.iter().map(problem).collect(),
            item_codes: pairs(self.item_codes),
            onboarding: self.onboarding.map(|schema| schema()),
            audit_filters: pairs(self.audit_filters),
            words: pairs(self.words),
            services: self.services.iter().flat_map(ServiceAccess::describe).collect(),
            points: pairs(self.points),
            extends: self.extends.iter().map(Extends::describe).collect(),
            receives: self.receives.iter().map(Receives::describe).collect(),
            timers: self.timers.iter().map(Timer::describe).collect(),
            shows: self.shows.iter().map(|shown| shown.describe(&mut schemas)).collect(),
            console: self.console.describe(),
            schemas: schemas.finish().unwrap_or_else(|why| fault(&why)),
        }
    }
}

/// A domain module. Values that its functions keep are kept for one request: the host may run a request again.
pub trait Module: 'static {
    /// The module's manifest.
    const MANIFEST: Manifest;

    /// The whole descriptor.
    fn descriptor() -> Descriptor {
        Self::MANIFEST.descriptor()
    }

    /// A bounded batch of backfill; answers the next cursor.
    ///
    /// # Errors
    /// A problem stops the backfill.
    fn upgrade(_from_version: &str, _cursor: Option<String>) -> Result<Option<String>, Problem> {
        Ok(None)
    }

    /// Runs one call: the way for native programs.
    fn handle(call: &Call) -> Answer {
        #[cfg(not(target_arch = "wasm32"))]
        crate::host::begin_request();
        let rows = Self::MANIFEST.operations.iter().flat_map(|table| table.iter());
        let mut runs = rows.filter_map(|operation| operation.run_of(&call.operation));
        match runs.next() {
            Some(run) => run(call),
            None => fault("an operation that the descriptor does not name"),
        }
    }
}

/// The onboarding members that every module gets.
#[derive(Debug, Clone)]
pub struct ProvisionOptions {
    /// The company.
    pub name: String,
    /// ISO 3166, two letters.
    pub country_code: Option<String>,
    /// ISO 4217; the company's default.
    pub currency_code: String,
    /// True if the company is to begin with the usual records.
    pub with_defaults: bool,
    /// The members that this module declares in its descriptor.
    pub own_members: serde_json::Map<String, serde_json::Value>,
}

impl<'de> Deserialize<'de> for ProvisionOptions {
    /// By hand: a derived `flatten` brings code for floats.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ProvisionOptions, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Common {
            name: String,
            country_code: Option<String>,
            currency_code: String,
            #[serde(default)]
            with_defaults: bool,
        }
        let mut own_members = serde_json::Map::deserialize(deserializer)?;
        let common =
            Common::deserialize(serde_json::Value::Object(own_members.clone())).map_err(serde::de::Error::custom)?;
        for name in ["name", "countryCode", "currencyCode", "withDefaults"] {
            own_members.remove(name);
        }
        let Common { name, country_code, currency_code, with_defaults } = common;
        Ok(ProvisionOptions { name, country_code, currency_code, with_defaults, own_members })
    }
}

impl ProvisionOptions {
    /// The members that this module declares, as a struct.
    #[track_caller]
    pub fn read_own<T: serde::de::DeserializeOwned>(&self) -> T {
        match T::deserialize(serde_json::Value::Object(self.own_members.clone())) {
            Ok(members) => members,
            Err(_) => fault("onboarding members of another shape than the module declares"),
        }
    }
}

fn begin() {
    #[cfg(target_arch = "wasm32")]
    crate::host::tell_panics();
}

impl<M: Module> Guest for M {
    fn describe() -> String {
        begin();
        serde_json::to_string(&M::descriptor()).unwrap_or_else(|_| fault("the descriptor does not serialize"))
    }

    fn handle(call: Call) -> Result<Reply, Problem> {
        begin();
        <M as Module>::handle(&call)
    }

    fn provision(options: String) -> Result<Vec<Created>, Problem> {
        begin();
        match serde_json::from_str(&options) {
            Ok(options) => (M::MANIFEST.provision)(&options),
            Err(_) => fault("onboarding options of another shape"),
        }
    }

    fn checklist() -> Vec<Step> {
        begin();
        (M::MANIFEST.checklist)()
    }

    fn upgrade(from_version: String, cursor: Option<String>) -> Result<Option<String>, Problem> {
        begin();
        <M as Module>::upgrade(&from_version, cursor)
    }

    fn verify(cursor: Option<String>) -> Findings {
        begin();
        (M::MANIFEST.verify)(cursor)
    }
}

impl<M: Module> listener::Guest for M {
    fn receive(moment: listener::Moment, event: listener::Event) -> Result<(), Problem> {
        begin();
        extending::receive(M::MANIFEST.receives, moment, event)
    }
}

impl<M: Module> timer::Guest for M {
    fn run(timer: String, window: timer::Window, cursor: Option<String>) -> Result<Option<String>, Problem> {
        begin();
        extending::run_timer(M::MANIFEST.timers, &timer, window, cursor)
    }
}

impl<M: Module> views::Guest for M {
    fn show(place: String, ids: Vec<(u64, u64)>) -> Vec<views::Document> {
        begin();
        extending::show(M::MANIFEST.shows, &place, ids)
    }
}
