//! The caller of an operation: an API client sees its own projection of a record and, of the catalog, what is published.

use serde::Serialize;
use stoa_sdk::store::{Rows, get, run};
use stoa_sdk::{ActorKind, Answer, Call, Entity, Problem, Record, Reply, facts};

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

    /// Returns whether the caller is an API client.
    pub fn is_client(self) -> bool {
        self == Caller::Client
    }

    /// Answers a page of rows, each with the projection that this caller sees.
    pub fn answer_page<R: Entity, P: Serialize, C: Serialize>(
        self,
        rows: Rows<R>,
        person: impl Fn(&R) -> P,
        client: impl Fn(&R) -> C,
    ) -> Answer {
        match self {
            Caller::Person => answer_page(rows, Entity::id, |row| person(&row)),
            Caller::Client => answer_page(rows, Entity::id, |row| client(&row)),
        }
    }

    /// Answers with the record that the path names, an archived one too, in the projection that this caller sees.
    ///
    /// # Errors
    /// NOT_FOUND.
    pub fn answer_record<R: Record, P: Serialize, C: Serialize>(
        self,
        call: &Call,
        person: impl FnOnce(&R) -> P,
        client: impl FnOnce(&R) -> C,
    ) -> Answer {
        let row: R = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
        Ok(self.show(|| person(&row), || client(&row)).of(row.id(), row.version()))
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
    use stoa_sdk::scripted::{NOW, script};
    use stoa_sdk::{Id, Instant, collection};

    use super::*;

    collection! {
        record ThingRow in "thing" {
            name: String,
            notes: String,
        }
    }

    fn thing() -> ThingRow {
        let (created_at, updated_at) = (Instant(NOW), Instant(NOW));
        ThingRow { id: Id(0, 1), version: 3, created_at, updated_at, name: "A".to_owned(), notes: "B".to_owned() }
    }

    #[test]
    fn a_person_sees_the_persons_projection() {
        script([]);
        let reply = Caller::current().show(|| "person", || "client");
        assert_eq!(reply.body, r#""person""#);
    }

    #[test]
    fn a_page_is_shown_as_its_caller_sees_it() {
        let rows = || Rows { items: vec![thing()], more: false, reached: None };
        let name_and_notes = |row: &ThingRow| (row.name.clone(), row.notes.clone());
        let shown = |caller: Caller| caller.answer_page(rows(), name_and_notes, |row| row.name.clone()).unwrap().body;
        assert_eq!(shown(Caller::Person), r#"{"items":[["A","B"]],"nextCursor":null}"#);
        assert_eq!(shown(Caller::Client), r#"{"items":["A"],"nextCursor":null}"#);
    }
}
