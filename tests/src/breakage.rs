//! Tables that refuse a company's rows, as a fault of the server would, and what operations owe to each other then: all
//! or nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::{Company, Database};

/// One of about a thousand lines brings the totals of what is older forward: a request writes them only by chance.
const WRITTEN_BY_CHANCE: [&str; 2] = ["_summed_lines", "_total"];

/// Numbers that a request took are not given back.
const TAKEN_FOR_GOOD: &str = "stoa_sequence";

impl Company {
    /// Puts a switch on a table, by which the database fails whatever writes a row of this company into it.
    fn put_switch(&self, table: &str) {
        match self.host.database() {
            Database::Sqlite => {
                for act in ["insert", "update"] {
                    self.change(&format!(
                        "create trigger if not exists {table}_{act} before {act} on {table}
                         when new.{{tenant}} and exists (select 1 from broken where name = '{table}')
                         begin select raise(abort, 'broken by a test'); end"
                    ));
                }
            }
            Database::Postgres => self.change(&format!(
                "create or replace trigger broken before insert or update on {table} for each row when (new.{{tenant}})
                 execute function refuse_where_broken()"
            )),
        }
    }

    fn prepare_switches(&self) {
        self.change("create table if not exists broken (name text primary key)");
        if self.host.database() == Database::Postgres {
            self.change(
                "create or replace function refuse_where_broken() returns trigger language plpgsql as $$ begin
                   if exists (select 1 from broken where name = tg_table_name) then
                     raise exception 'broken by a test' using errcode = 'XX000';
                   end if;
                   return new;
                 end $$",
            );
        }
    }

    /// Every row of the company, but for what failures may leave.
    fn digest_of_work(&self) -> BTreeMap<String, (usize, u64)> {
        let mut digest = self.digest();
        digest.remove(TAKEN_FOR_GOOD);
        digest
    }

    /// Asserts that a request which fails at any of the tables that it writes leaves nothing, and succeeds after the repair.
    /// `prepare` makes what such a request needs, and answers its path and body; answers the tables.
    ///
    /// It breaks tables of the whole database: the host is the test's own.
    #[track_caller]
    pub fn assert_all_or_nothing(&self, prepare: impl Fn() -> (String, Json)) -> BTreeSet<String> {
        let done = |path: &str, body: &Json| {
            let answer = self.post(path, body.clone());
            assert!(matches!(answer.status, 200 | 201), "{answer}");
        };
        // The first of its kind may write what later ones find.
        let (path, body) = prepare();
        done(&path, &body);
        let (path, body) = prepare();
        let before = self.digest();
        done(&path, &body);
        let after = self.digest();
        let is_by_chance = |table: &str| WRITTEN_BY_CHANCE.iter().any(|end| table.ends_with(end));
        let changed = after.into_iter().filter(|(table, rows)| before.get(table) != Some(rows));
        let written: BTreeSet<String> = changed.map(|(table, _)| table).filter(|table| !is_by_chance(table)).collect();
        self.prepare_switches();
        written.iter().for_each(|table| self.put_switch(table));
        let (path, body) = prepare();
        let before = self.digest_of_work();
        for table in &written {
            self.change(&format!("insert into broken values ('{table}')"));
            let answer = self.post(&path, body.clone());
            self.change("delete from broken");
            assert!(answer.status >= 500, "{table} is broken: {answer}");
        }
        let after = self.digest_of_work();
        let left: Vec<&String> =
            after.iter().filter(|(table, rows)| before.get(*table) != Some(rows)).map(|(table, _)| table).collect();
        assert!(left.is_empty(), "failures left something in {left:?}");
        done(&path, &body);
        written
    }
}
