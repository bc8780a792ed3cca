//! What a module is, and how it stands behind the generated contract.

use serde::Deserialize;
use stoa_descriptor::{Descriptor, Schemas};

use crate::bindings::exports::commerce::platform::module::{Call, Created, Findings, Guest, Problem, Reply, Step};
use crate::host::fault;
use crate::operation::Operation;
use crate::reply::Answer;

/// A domain module. Its functions keep nothing between calls: the host may run a request again.
pub trait Module: 'static {
    /// Every operation, once.
    const OPERATIONS: &'static [Operation];

    /// The descriptor without routes and schemas, which come from `OPERATIONS`.
    fn describe() -> Descriptor;

    /// Defaults for a new company.
    ///
    /// # Errors
    /// A problem refuses the company.
    fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem>;

    /// What a company should have done before it can work.
    fn checklist() -> Vec<Step>;

    /// A bounded batch of the module's own invariants.
    fn verify(cursor: Option<String>) -> Findings;

    /// A bounded batch of backfill; answers the next cursor.
    ///
    /// # Errors
    /// A problem stops the backfill.
    fn upgrade(_from_version: &str, _cursor: Option<String>) -> Result<Option<String>, Problem> {
        Ok(None)
    }

    /// Runs one call: the way for native programs.
    ///
    /// # Errors
    /// The operation's problems.
    fn handle(call: &Call) -> Answer {
        match Self::OPERATIONS.iter().find(|operation| operation.name == call.operation) {
            Some(operation) => (operation.run)(call),
            None => fault("an operation that the descriptor does not name"),
        }
    }

    /// The whole descriptor.
    fn descriptor() -> Descriptor {
        let mut descriptor = Self::describe();
        let mut schemas = Schemas::default();
        descriptor.routes = Self::OPERATIONS.iter().map(|operation| operation.route(&mut schemas)).collect();
        descriptor.schemas = schemas.finish().unwrap_or_else(|why| fault(&why));
        descriptor
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
    /// Whether the company wants the usual records to begin with.
    pub with_defaults: bool,
    /// The members that this module declares in its descriptor.
    pub own: serde_json::Map<String, serde_json::Value>,
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
        let mut own = serde_json::Map::deserialize(deserializer)?;
        let common = Common::deserialize(serde_json::Value::Object(own.clone())).map_err(serde::de::Error::custom)?;
        for name in ["name", "countryCode", "currencyCode", "withDefaults"] {
            own.remove(name);
        }
        let Common { name, country_code, currency_code, with_defaults } = common;
        Ok(ProvisionOptions { name, country_code, currency_code, with_defaults, own })
    }
}

impl ProvisionOptions {
    /// The members that this module declares, as a struct.
    pub fn read_own<T: serde::de::DeserializeOwned>(&self) -> T {
        match T::deserialize(serde_json::Value::Object(self.own.clone())) {
            Ok(own) => own,
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
            Ok(options) => <M as Module>::provision(&options),
            Err(_) => fault("onboarding options of another shape"),
        }
    }

    fn checklist() -> Vec<Step> {
        begin();
        <M as Module>::checklist()
    }

    fn upgrade(from_version: String, cursor: Option<String>) -> Result<Option<String>, Problem> {
        begin();
        <M as Module>::upgrade(&from_version, cursor)
    }

    fn verify(cursor: Option<String>) -> Findings {
        begin();
        <M as Module>::verify(cursor)
    }
}
