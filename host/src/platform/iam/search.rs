//! A page of records of which each may be several rows, searched by a text. The host compares, because the databases disagree
//! about letters beyond ASCII.

use serde::Serialize;
use uuid::Uuid;

use super::super::conditions::Conditions;
use super::super::page::{Limit, Page};
use super::super::reply::answer;
use super::super::{Call, Performed};
use crate::database::{Cell, Error, Row, Session};
use crate::problem::Problem;

/// Records read at once where only some of them may contain the text.
const BATCH: i64 = 500;

/// A list: the statement that reads rows up to a limit, and how they become records.
pub struct List<T> {
    /// The condition that the cursor makes.
    pub after: &'static str,
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
        let mut items = Vec::new();
        loop {
            let mut conditions = conditions.clone();
            conditions.and_some(self.after, after, Cell::Id);
            let records = self.read(session, call, conditions, batch).await?;
            let last = i64::try_from(records.len()).unwrap_or(i64::MAX) < batch;
            after = records.last().map(self.id);
            items.extend(records.into_iter().filter(|record| {
                let contains =
                    |text: &String| (self.texts)(record).iter().any(|value| value.to_lowercase().contains(text));
                text.as_ref().is_none_or(contains)
            }));
            if last || items.len() > limit.0 as usize {
                return answer(&Page::new(limit, items, self.id));
            }
        }
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
