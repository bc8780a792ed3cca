//! A page of records of which each may be several rows, searched by a text. The host compares, because the databases
//! disagree about letters beyond ASCII. No index serves a text, so a search looks at so many records of the company and
//! no more, whatever its other filters are, and the next page goes on from there.

use serde::Serialize;
use uuid::Uuid;

use super::super::conditions::Conditions;
use super::super::page::{Limit, Page, SEARCHED};
use super::super::reply::answer;
use super::super::{Call, Performed};
use crate::database::{Cell, Error, Row, Session};
use crate::pipeline::outcome::Refused;
use crate::problem::Problem;

/// Records read at once where only some of them may contain the text.
const BATCH: i64 = 500;

/// A list: the statement that reads rows up to a limit, and how they become records.
pub struct List<T> {
    /// The table that has a row for each record.
    pub table: &'static str,
    /// The condition that the cursor makes.
    pub after: &'static str,
    /// The condition that the last record makes at which a search looks.
    pub until: &'static str,
    pub statement: fn(&Conditions, limit: &str) -> String,
    pub records: fn(&Call<'_>, &[Row]) -> Result<Vec<T>, Error>,
    pub id: fn(&T) -> Uuid,
    /// The fields that a text is looked for in.
    pub texts: fn(&T) -> Vec<&str>,
}

/// Which page is asked for.
pub struct Asked {
    pub conditions: Conditions,
    pub cursor: Option<Uuid>,
    pub limit: Limit,
    pub text: Option<String>,
}

impl<T: Serialize> List<T> {
    /// The page that was asked for.
    pub async fn page(&self, session: &mut Session, call: &Call<'_>, asked: Asked) -> Performed {
        let Asked { conditions, cursor: mut after, limit, text } = asked;
        let text = text.map(|text| text.to_lowercase());
        let batch = if text.is_some() { BATCH } else { limit.rows() };
        let end = if text.is_some() { self.find_end(session, call, after).await? } else { None };
        let mut items = Vec::new();
        loop {
            let mut conditions = conditions.clone();
            conditions.and_some(self.after, after, Cell::Id);
            conditions.and_some(self.until, end, Cell::Id);
            let records = self.read(session, call, conditions, batch).await?;
            let last = i64::try_from(records.len()).unwrap_or(i64::MAX) < batch;
            after = records.last().map(self.id);
            items.extend(records.into_iter().filter(|record| {
                let contains =
                    |text: &String| (self.texts)(record).iter().any(|value| value.to_lowercase().contains(text));
                text.as_ref().is_none_or(contains)
            }));
            if last || items.len() > limit.0 as usize {
                return answer(&Page::new(limit, items, self.id).searched_to(end));
            }
        }
    }

    /// The last record at which a search looks, where more follow.
    async fn find_end(
        &self,
        session: &mut Session,
        call: &Call<'_>,
        after: Option<Uuid>,
    ) -> Result<Option<Uuid>, Refused> {
        let mut candidates = Conditions::new("tenant_id", call.tenant()?);
        candidates.and_some("id > ?", after, Cell::Id);
        let (table, wanted, offset) = (self.table, candidates.sql(), SEARCHED - 1);
        let last = format!("select id from {table} where {wanted} order by id limit 1 offset {offset}");
        let rows = session.query_composed(last, candidates.values()).await?;
        Ok(rows.first().map(|row| row.id(0)).transpose()?)
    }

    /// The one record of these conditions.
    pub async fn one(&self, session: &mut Session, call: &Call<'_>, conditions: Conditions) -> Performed {
        let record = self.read(session, call, conditions, 1).await?.pop().ok_or_else(|| Problem::new("NOT_FOUND"))?;
        answer(&record)
    }

    async fn read(
        &self,
        session: &mut Session,
        call: &Call<'_>,
        mut conditions: Conditions,
        most: i64,
    ) -> Result<Vec<T>, Error> {
        let limit = conditions.value(Cell::Integer(most));
        let rows = session.query_composed((self.statement)(&conditions, &limit), conditions.values()).await?;
        (self.records)(call, &rows)
    }
}
