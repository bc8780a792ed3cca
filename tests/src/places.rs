//! Hosts whose companies are distributed over several databases of one PostgreSQL server.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::company::{fresh, onboarding};
use crate::held::Held;
use crate::host::{RUNTIME, Settings};
use crate::{Company, Database, Stoa};

/// A host with a home database and this many places.
pub fn host_with(places: usize) -> Stoa {
    Stoa::start_with(Database::Postgres, Settings::default().places(places + 1))
}

impl Stoa {
    /// The address of the database of a place, `home` among them.
    pub fn database_of(&self, place: &str) -> String {
        let url = if place == "home" { self.postgres_url() } else { self.place_url(place) };
        url.unwrap_or_else(|| panic!("no place {place}")).to_owned()
    }

    /// A company that an operator makes at this place for the user with this address.
    #[track_caller]
    pub fn company_at(&self, place: &str, email: &str) -> Company {
        self.user_id(email);
        let name = fresh("Company ");
        let arguments = ["create", "--name", &name, "--currency", "EUR", "--owner-email", email, "--place", place];
        let made = self.operator(&arguments).unwrap_or_else(|said| panic!("no company at {place}: {said}"));
        let tenant = made["tenantId"].as_str().expect("its id").to_owned();
        let created = made["created"].as_array().cloned().unwrap_or_default();
        Company { host: self.clone(), tenant, token: self.token(email), created }
    }

    /// Companies with rows in the database of a place.
    pub fn companies_at(&self, place: &str) -> usize {
        let count = self.run_at(place, "select count(*)::text from stoa_tenant");
        count.expect("a count").parse().expect("a count")
    }

    /// Runs statements in the database of a place, and returns the first value of the last one.
    pub fn run_at(&self, place: &str, statements: &str) -> Option<String> {
        let url = self.database_of(place);
        RUNTIME.block_on(async {
            let mut connection = PgConnection::connect(&url).await.expect("the database of the place");
            let row = connection.fetch_optional(AssertSqlSafe(statements.to_owned())).await;
            let row = row.unwrap_or_else(|error| panic!("{statements}: {error}"));
            row.and_then(|row| sqlx::Row::try_get::<Option<String>, _>(&row, 0).ok().flatten())
        })
    }

    /// Changes rows of the host on every server behind its back: each place has its own.
    pub fn change_everywhere(&self, statement: &str) {
        self.change(statement);
        (1..self.count_places()).for_each(|number| drop(self.run_at(&format!("place-{number}"), statement)));
    }

    /// Runs a statement in a transaction at a place, and keeps what it locks.
    pub fn hold_at(&self, place: &str, statement: &str) -> Held {
        let url = self.database_of(place);
        RUNTIME.block_on(async {
            let mut connection = PgConnection::connect(&url).await.expect("the database of the place");
            connection.execute("begin").await.expect("a transaction");
            let held = connection.execute(AssertSqlSafe(statement.to_owned())).await;
            held.unwrap_or_else(|error| panic!("{statement}: {error}"));
            Held::Postgres(Some(connection))
        })
    }

    /// Copies a company's rows from home to a place, table by table.
    pub fn copy_company(&self, company: &Company, place: &str) {
        let mut tables = company.tables();
        tables.extend(["stoa_tenant".to_owned(), "stoa_user".to_owned()]);
        let mut rows = Vec::new();
        for table in &tables {
            let condition = match table.as_str() {
                "stoa_tenant" => "where {id}",
                "stoa_user" => "",
                _ => "where {tenant}",
            };
            let found = company.rows(&format!("select to_json(t) from {table} t {condition}"));
            rows.extend(found.into_iter().map(|mut row| (table, row.remove(0))));
        }
        let url = self.database_of(place);
        RUNTIME.block_on(async {
            let mut connection = PgConnection::connect(&url).await.expect("the database of the place");
            let set = sqlx::query("select set_config('stoa.tenant', $1, false)").bind(&company.tenant);
            set.execute(&mut connection).await.expect("a setting");
            for (table, row) in rows {
                let insert = format!(
                    "insert into {table} select * from json_populate_record(null::{table}, $1::json) on conflict do nothing"
                );
                let inserted = sqlx::query(AssertSqlSafe(insert)).bind(row).execute(&mut connection).await;
                inserted.unwrap_or_else(|error| panic!("{table}: {error}"));
            }
        });
    }

    /// Takes the database of a place away until it is let in again: it accepts no connection and ends those that are open.
    pub fn take_away(&self, place: &str) {
        let (name, other) = (self.name_of(place), other_than(place));
        self.run_at(other, &format!("alter database {name} allow_connections false"));
        self.run_at(
            other,
            &format!("select count(pg_terminate_backend(pid))::text from pg_stat_activity where datname = '{name}'"),
        );
    }

    /// Lets a database in again that was taken away.
    pub fn bring_back(&self, place: &str) {
        self.run_at(other_than(place), &format!("alter database {} allow_connections true", self.name_of(place)));
    }

    fn name_of(&self, place: &str) -> String {
        self.database_of(place).rsplit('/').next().expect("a name").to_owned()
    }
}

/// Only a connection to another database can take a database away.
fn other_than(place: &str) -> &'static str {
    if place == "home" { "place-1" } else { "home" }
}

impl Company {
    /// The place that has the company's rows, by its name.
    pub fn place(&self) -> String {
        let place = format!("select place from stoa_company_place where tenant_id = '{}'", self.tenant);
        self.host.rows(&place).first().map_or_else(|| "home".to_owned(), |row| row[0].clone())
    }

    /// Asks for a new company as its owner does: the answer, whatever it is.
    pub fn ask_for_company(&self) -> crate::Answer {
        let request = self.host.request("POST", "/v1/onboarding/companies").token(&self.token);
        request.json(&onboarding(&fresh("Company "))).send()
    }
}
