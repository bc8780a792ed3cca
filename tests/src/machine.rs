//! An API client of a company with a key of its own.

use serde_json::{Value as Json, json};

use crate::company::fresh;
use crate::{Answer, Company, Request, Stoa};

/// A client and one of its keys. Its requests go below `/v1/api-client/`.
#[derive(Clone)]
pub struct Machine {
    pub host: Stoa,
    /// The id of the API client.
    pub client: String,
    pub key_id: String,
    pub key: String,
}

impl Company {
    /// Lets the company's keys in: the entitlement PUBLIC_API, as an operator gives it.
    pub fn entitle(&self) {
        self.change("update stoa_tenant set entitlements = '[\"PUBLIC_API\"]' where {id}");
    }

    /// A client with these scopes in an entitled company, with a key.
    #[track_caller]
    pub fn machine(&self, scopes: &[&str]) -> Machine {
        self.entitle();
        self.machine_of(json!({ "scopes": scopes }))
    }

    /// A client made from these members, with a key.
    #[track_caller]
    pub fn machine_of(&self, members: Json) -> Machine {
        let body = crate::company::with(&json!({ "name": fresh("Client ") }), members);
        let client = self.post("api-clients", body).is(201).id();
        self.machine_for(&client)
    }

    /// One more key of a client.
    #[track_caller]
    pub fn machine_for(&self, client: &str) -> Machine {
        let issued = self.post(&format!("api-clients/{client}/keys"), json!({})).is(201);
        Machine { host: self.host.clone(), client: client.to_string(), key_id: issued.id(), key: issued.text("apiKey") }
    }
}

impl Machine {
    /// A request below `/v1/api-client/`.
    pub fn request(&self, method: &str, path: &str) -> Request {
        self.host.request(method, &format!("/v1/api-client/{path}")).token(&self.key)
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path).send()
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: Json) -> Answer {
        self.request("POST", path).json(&body).send()
    }

    #[track_caller]
    pub fn put(&self, path: &str, body: Json) -> Answer {
        self.request("PUT", path).json(&body).send()
    }

    /// The same client calling another host.
    pub fn on(&self, host: &Stoa) -> Machine {
        Machine { host: host.clone(), ..self.clone() }
    }
}
