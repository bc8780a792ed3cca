//! Who calls an operation: an API client sees its own projection of a record and, of the catalog, what is published.

use serde::Serialize;
use stoa_sdk::store::Rows;
use stoa_sdk::{ActorKind, Answer, Id, Record, Reply, facts};

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

    /// Answers with the record as this caller sees it: a `P` for a person, a `C` for a client.
    pub fn show_row<P, C, R>(self, row: R) -> Reply
    where
        P: Serialize + From<R>,
        C: Serialize + From<R>,
        R: Record,
    {
        let (id, version) = (row.id(), row.version());
        let reply = match self {
            Caller::Person => Reply::json(&P::from(row)),
            Caller::Client => Reply::json(&C::from(row)),
        };
        reply.of(id, version)
    }

    /// Answers a page of rows, each as this caller sees it.
    pub fn show_page<P, C, R>(self, rows: Rows<R>, id: impl Fn(&R) -> Id) -> Answer
    where
        P: Serialize + From<R>,
        C: Serialize + From<R>,
    {
        match self {
            Caller::Person => answer_page(rows, id, P::from),
            Caller::Client => answer_page(rows, id, C::from),
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
