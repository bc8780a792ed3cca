//! Who calls an operation: an API client sees its own projection of a record and, of the catalog, what is published.

use serde::Serialize;
use stoa_sdk::store::Rows;
use stoa_sdk::{ActorKind, Answer, Entity, Reply, facts};

use crate::lists::answer_page;

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

    /// Answers a page of rows, each with the projection that this caller sees.
    pub fn show_page<P, C, R>(self, rows: Rows<R>, person: impl Fn(&R) -> P, client: impl Fn(&R) -> C) -> Answer
    where
        P: Serialize,
        C: Serialize,
        R: Entity,
    {
        match self {
            Caller::Person => answer_page(rows, Entity::id, |row| person(&row)),
            Caller::Client => answer_page(rows, Entity::id, |row| client(&row)),
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
