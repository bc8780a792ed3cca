//! Who calls an operation: an API client sees its own projection of a record and, of the catalog, what is published.

use serde::Serialize;
use stoa_sdk::{ActorKind, Reply, facts};

/// The family of the request's caller, as far as operations differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A user, or the system itself.
    Person,
    /// A machine with a key.
    Client,
}

impl Caller {
    /// The caller of the request that is running.
    pub fn current() -> Caller {
        match facts().actor_kind {
            ActorKind::ApiClient => Caller::Client,
            ActorKind::User | ActorKind::System => Caller::Person,
        }
    }

    /// Whether it is a machine.
    pub fn is_client(self) -> bool {
        self == Caller::Client
    }

    /// Answers with the projection that this caller sees; the other one is not made.
    pub fn show<P: Serialize, C: Serialize>(self, person: impl FnOnce() -> P, client: impl FnOnce() -> C) -> Reply {
        match self {
            Caller::Person => Reply::json(&person()),
            Caller::Client => Reply::json(&client()),
        }
    }
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::script;

    use super::*;

    #[test]
    fn a_person_sees_the_persons_projection() {
        script([]);
        let reply = Caller::current().show(|| "person", || "client");
        assert_eq!(reply.body, r#""person""#);
    }
}
