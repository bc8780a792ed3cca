//! Many rows in a moment, behind the host's back: the rows that a company has after years, and the requests that would write them
//! are as many.

use crate::{Company, Database};

impl Company {
    /// Copies the rows that meet a condition, each `count` times. `changes` lists the columns of a copy that differ
    /// from those of the row, as expressions of the row `t` and the number of the copy `s.n`, from 1. An id that is not
    /// among them is a new one of the row's instant.
    #[track_caller]
    pub fn copy_rows(&self, table: &str, condition: &str, count: u32, changes: &[(&str, &str)]) {
        let (columns, new_id) = match self.host.database() {
            Database::Sqlite => (
                format!("select name from pragma_table_info('{table}')"),
                "unhex(substr(hex(t.id), 1, 16) || hex(randomblob(8)))",
            ),
            Database::Postgres => (
                format!("select column_name::text from information_schema.columns where table_name = '{table}'"),
                "(left(t.id::text, 19) || right(gen_random_uuid()::text, 17))::uuid",
            ),
        };
        let columns: Vec<String> = self.rows(&columns).into_iter().flatten().collect();
        let value = |column: &String| match changes.iter().find(|(changed, _)| changed == column) {
            Some((_, expression)) => (*expression).to_string(),
            None if column == "id" => new_id.to_string(),
            None => format!("t.{column}"),
        };
        let values: Vec<String> = columns.iter().map(value).collect();
        self.change(&format!(
            "with recursive s(n) as (select 1 union all select n + 1 from s where n < {count})
             insert into {table} ({}) select {} from s join {table} t on 1 = 1 where {{tenant}} and ({condition})",
            columns.join(", "),
            values.join(", "),
        ));
    }

    /// The id that belongs to a number, long past, as an expression of it.
    pub fn numbered_id(&self, number: &str) -> String {
        match self.host.database() {
            Database::Sqlite => format!("unhex(printf('0190000000007000%016d', {number}))"),
            Database::Postgres => format!("('01900000-0000-7000-' || lpad(({number})::text, 16, '0'))::uuid"),
        }
    }

    /// An instant, so many hours after another that is in the column of a row, as an expression.
    pub fn hours_after(&self, column: &str, hours: &str) -> String {
        match self.host.database() {
            Database::Sqlite => format!("{column} + 3600000 * ({hours})"),
            Database::Postgres => format!("{column} + interval '1 hour' * ({hours})"),
        }
    }
}
