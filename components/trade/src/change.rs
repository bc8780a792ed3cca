//! A change of a record as data: the row before and after it. Columns that differ are written, changes of fixed ones are refused,
//! `version` and `updatedAt` follow, and the names of the changed members come for the audit entry: a member is stated once.

use stoa_sdk::store::{Update, run, update};
use stoa_sdk::{Answer, Entity, EventData, EventKind, Problem, Reply, emit, now};

use crate::life::Archivable;

/// A row before and after a change.
#[derive(Debug)]
pub struct Change<R> {
    after: R,
    /// Columns that differ.
    columns: Vec<&'static str>,
}

impl<R: Entity> Change<R> {
    /// The change of a row to another with the same id. `after` is the row with the new values; its version and `updated_at`
    /// are set here.
    ///
    /// # Errors
    /// IMMUTABLE_FIELD at each member whose column is declared `fixed` and differs.
    pub fn new(before: &R, mut after: R) -> Result<Change<R>, Problem> {
        let columns = differing_columns(before, &after);
        refuse_immutable(list_fixed::<R>(&columns, &[]))?;
        after.touch(now());
        Ok(Change { after, columns })
    }

    /// The update for the store. A change of nothing is one all the same: the row's version rises.
    pub fn update(&self) -> Update<R> {
        let row = update::<R>(self.after.id());
        match self.columns.is_empty() {
            true => row.set_from(&self.after, &R::INSERTED[1..2]),
            false => row.set_from(&self.after, &self.columns),
        }
    }

    /// The names of the members that differ, as callers know them; columns that are one member to them have its name once.
    pub fn members(&self) -> Vec<String> {
        let mut members: Vec<String> = self.columns.iter().map(|name| member::<R>(name)).collect();
        members.dedup();
        members
    }

    /// The row as it is after the change.
    pub fn after(&self) -> &R {
        &self.after
    }

    /// The answer that shows the row as it is after the change, with the members that differ for the audit entry.
    pub fn show(self, show: impl FnOnce(R) -> Reply) -> Reply {
        let members = self.members();
        show(self.after).changed(members)
    }

    /// Writes the change; answers as [`show`](Self::show) does.
    pub fn write(self, show: impl FnOnce(&R) -> Reply) -> Answer {
        run(self.update())?;
        Ok(self.show(|row| show(&row)))
    }

    /// Writes the change and emits it; answers as [`show`](Self::show) does.
    pub fn write_and_emit<T: EventData>(
        self,
        kind: &EventKind<T>,
        data: impl FnOnce(&R) -> T,
        show: impl FnOnce(&R) -> Reply,
    ) -> Answer {
        run(self.update())?;
        emit([kind.of(self.after.id(), None, &data(&self.after))]);
        Ok(self.show(|row| show(&row)))
    }

    /// The row as it is after the change, when the change is done with.
    pub fn into_after(self) -> R {
        self.after
    }
}

impl<R: Archivable + Clone> Change<R> {
    /// The end of a record's life, as of the request's instant.
    pub fn archive(before: R) -> Change<R> {
        let mut after = before.clone();
        after.become_archived(now());
        let columns = differing_columns(&before, &after);
        after.touch(now());
        Change { after, columns }
    }
}

/// Pointers to the members that differ though they are fixed: those whose columns the collection declares `fixed`, and
/// those of these columns, which the record's state fixes.
pub fn find_fixed<R: Entity>(before: &R, after: &R, columns: &[&str]) -> Vec<String> {
    list_fixed::<R>(&differing_columns(before, after), columns)
}

fn list_fixed<R: Entity>(differing: &[&str], columns: &[&str]) -> Vec<String> {
    let fixed = differing.iter().filter(|name| R::FIXED.contains(name) || columns.contains(name));
    fixed.map(|name| format!("/{}", member::<R>(name))).collect()
}

/// Refuses a change of these members, or goes on where there is none.
///
/// # Errors
/// IMMUTABLE_FIELD at each of them.
pub fn refuse_immutable(pointers: Vec<String>) -> Result<(), Problem> {
    if pointers.is_empty() { Ok(()) } else { Err(Problem::immutable(pointers)) }
}

/// The module's columns in which the rows differ.
fn differing_columns<R: Entity>(before: &R, after: &R) -> Vec<&'static str> {
    let values = before.write().into_iter().zip(after.write());
    let named = R::INSERTED.iter().zip(values).skip(1);
    named.filter(|(_, (before, after))| before != after).map(|(name, _)| *name).collect()
}

/// The name of a column for callers: `valid_from` is `validFrom`, unless the collection says otherwise.
fn member<R: Entity>(column: &str) -> String {
    if let Some((_, member)) = R::MEMBERS.iter().find(|(name, _)| *name == column) {
        return (*member).to_owned();
    }
    let mut words = column.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut member, word| {
        let mut letters = word.chars();
        member.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        member + letters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::{NOW, script};
    use stoa_sdk::store::Call;
    use stoa_sdk::{Id, Instant, collection};

    use super::*;
    use crate::archivable;
    use crate::life::{Identity, Status};

    collection! {
        record ThingRow in "thing" {
            code: String,
            kind: String,
            name: String,
            name_key: String,
            valid_from: Option<Instant>,
            status: Status,
            archived_at: Option<Instant>,
        }
        fixed [code, kind]
        members { kind: "type", name_key: "name" }
    }
    archivable!(ThingRow);

    fn thing() -> ThingRow {
        ThingRow {
            id: Id(3, 3),
            version: 4,
            created_at: Instant(1),
            updated_at: Instant(1),
            code: "A".to_owned(),
            kind: "B".to_owned(),
            name: "C".to_owned(),
            name_key: "c".to_owned(),
            valid_from: None,
            status: Status::Active,
            archived_at: None,
        }
    }

    /// The columns that an update sets.
    fn written_columns(change: &Change<ThingRow>) -> Vec<String> {
        let log = script([vec![stoa_sdk::store::Reply::Done]]);
        run(change.update()).unwrap();
        let runs = &log.borrow().runs;
        let [Call::Update(update)] = runs[0].as_slice() else { panic!("one update") };
        update.set.clone()
    }

    #[test]
    fn what_differs_is_written_and_named() {
        script([]);
        let after =
            ThingRow { name: "D".to_owned(), name_key: "d".to_owned(), valid_from: Some(Instant(7)), ..thing() };
        let change = Change::new(&thing(), after).unwrap();
        assert_eq!(change.members(), ["name", "validFrom"]);
        assert_eq!((change.after().version, change.after().updated_at), (5, Instant(NOW)));
        assert_eq!(written_columns(&change), ["name", "name_key", "valid_from"]);
    }

    #[test]
    fn what_is_fixed_is_refused_by_its_members_name() {
        script([]);
        let after = ThingRow { code: "X".to_owned(), kind: "Y".to_owned(), name: "Z".to_owned(), ..thing() };
        let problem = Change::new(&thing(), after).unwrap_err();
        let pointers: Vec<&str> = problem.errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!((problem.code.as_str(), pointers), ("IMMUTABLE_FIELD", vec!["/code", "/type"]));
    }

    #[test]
    fn a_state_fixes_more_than_the_collection_does() {
        let after = ThingRow { code: "X".to_owned(), name: "Z".to_owned(), valid_from: Some(Instant(7)), ..thing() };
        assert_eq!(find_fixed(&thing(), &after, &["name"]), ["/code", "/name"]);
        assert!(find_fixed(&thing(), &thing(), &["name"]).is_empty());
    }

    #[test]
    fn a_change_of_nothing_raises_the_version() {
        script([]);
        let change = Change::new(&thing(), thing()).unwrap();
        assert_eq!((change.members().len(), change.after().version), (0, 5));
        assert_eq!(written_columns(&change), ["code"]);
    }

    #[test]
    fn a_change_is_written_emitted_and_shown() {
        const RENAMED: EventKind<Identity> = EventKind::new("things.thing.renamed", "THING", "A thing was renamed.");
        let log = script([vec![stoa_sdk::store::Reply::Done]]);
        let change = Change::new(&thing(), ThingRow { name: "D".to_owned(), ..thing() }).unwrap();
        let show = |row: &ThingRow| Reply::json(&row.name);
        let reply = change.write_and_emit(&RENAMED, |row| Identity { id: row.id }, show).unwrap();
        assert_eq!((reply.body.as_str(), reply.changed), (r#""D""#, vec!["name".to_owned()]));
        let events: Vec<String> = log.borrow().events.iter().map(|event| event.kind.clone()).collect();
        assert_eq!((log.borrow().runs.len(), events), (1, vec![RENAMED.code.to_owned()]));
    }

    #[test]
    fn an_archived_record_says_since_when() {
        script([]);
        let change = Change::archive(thing());
        assert_eq!(change.members(), ["status", "archivedAt"]);
        assert_eq!(change.after().archived_at, Some(Instant(NOW)));
        assert_eq!(written_columns(&change), ["status", "archived_at"]);
    }
}
