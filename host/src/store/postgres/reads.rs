//! Reads that follow each other in a batch and lock nothing travel as one statement: a `union all` of them, in which
//! every row tells its call. Columns of one type share their places, so that rows stay narrow and values keep their types.

use futures_util::TryStreamExt;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection};
use stoa_descriptor::ColumnType;

use super::{bind, fault, field, start};
use crate::store::call::Checked;
use crate::store::datum::Datum;
use crate::store::read::{self, Output, Query};
use crate::store::schema::Tables;
use crate::store::scope::Scope;
use crate::store::sql::Sql;
use crate::store::{Reading, Stop, page};
use crate::wit::store::{Page, Reply};

/// Reads on their way: their texts, and the parameters that all of them share.
pub(super) struct Reads {
    sql: Sql,
    waiting: Vec<Waiting>,
}

struct Waiting {
    call: usize,
    text: String,
    query: Query,
    rows: Vec<Vec<Datum>>,
}

impl Reads {
    pub fn new(scope: &Scope) -> Reads {
        Reads { sql: start(scope), waiting: Vec::new() }
    }

    /// Takes a read in; answers at once what needs no statement.
    pub fn add(&mut self, schema: &Tables, scope: &Scope, call: usize, read: Checked) -> Option<Reply> {
        if matches!(&read, Checked::Keyed(keyed) if keyed.keys.is_empty()) {
            return Some(Reply::Rows(Page { rows: Vec::new(), more: false }));
        }
        let sql = std::mem::replace(&mut self.sql, start(scope));
        let mut query = match read {
            Checked::Keyed(keyed) => read::all_keys(schema, keyed, sql),
            Checked::Select(mut select) => match select.each.take() {
                Some(each) => read::each_of_all(schema, select, each, sql),
                None => read::select(schema, select, sql),
            },
            Checked::Aggregate(aggregate) => read::aggregate(schema, aggregate, sql),
            _ => return None,
        };
        let text = std::mem::take(&mut query.sql.text);
        self.sql.params = std::mem::take(&mut query.sql.params);
        self.waiting.push(Waiting { call, text, query, rows: Vec::new() });
        None
    }

    /// Runs what waits, as one statement, and answers each read with its call.
    pub async fn run(
        &mut self,
        connection: &mut PgConnection,
        scope: &mut Scope,
        reading: &mut Reading,
    ) -> Result<Vec<(usize, Reply)>, Stop> {
        if self.waiting.is_empty() {
            return Ok(Vec::new());
        }
        let sql = std::mem::replace(&mut self.sql, start(scope));
        let mut waiting = std::mem::take(&mut self.waiting);
        let (text, places) = union(&waiting);
        let arguments = bind::arguments(sql.params)?;
        scope.round_trips += 1;
        let mut stream = sqlx::query_with(AssertSqlSafe(text), arguments).fetch(connection);
        while let Some(row) = stream.try_next().await.map_err(fault)? {
            let nth =
                if waiting.len() == 1 { 0 } else { usize::try_from(field::<i64>(&row, 0)?).unwrap_or(usize::MAX) };
            if let (Some(read), Some(places)) = (waiting.get_mut(nth), places.get(nth)) {
                let data = data(&row, &read.query.outputs, places)?;
                reading.row(scope, data.get(read.query.hidden..).unwrap_or_default())?;
                read.rows.push(data);
            }
        }
        let reply = |read: Waiting| Ok((read.call, page(scope, read.call, &read.query, read.rows)?));
        waiting.into_iter().map(reply).collect()
    }
}

fn data(row: &PgRow, outputs: &[Output], places: &[usize]) -> Result<Vec<Datum>, Stop> {
    outputs.iter().zip(places).map(|(output, at)| bind::load(row, *at, output)).collect()
}

/// The types in which values travel.
const WIRE: [&str; 6] = ["uuid", "text", "boolean", "bigint", "timestamptz", "date"];

fn wire(output: &Output) -> usize {
    match output {
        Output::Sum { .. } => 1,
        Output::Column(type_) => match type_ {
            ColumnType::Uuid => 0,
            ColumnType::Text | ColumnType::Json | ColumnType::Decimal { .. } => 1,
            ColumnType::Boolean => 2,
            ColumnType::Integer => 3,
            ColumnType::Timestamp => 4,
            ColumnType::Date => 5,
        },
    }
}

/// The one text, and for each read the places of its outputs in a row.
fn union(waiting: &[Waiting]) -> (String, Vec<Vec<usize>>) {
    if let [only] = waiting {
        return (only.text.clone(), vec![(0..only.query.outputs.len()).collect()]);
    }
    let mut most = [0; WIRE.len()];
    for read in waiting {
        let mut own = [0; WIRE.len()];
        read.query.outputs.iter().for_each(|output| own[wire(output)] += 1);
        most.iter_mut().zip(own).for_each(|(most, own)| *most = own.max(*most));
    }
    let mut text = String::with_capacity(waiting.iter().map(|read| read.text.len() + 256).sum());
    let mut places = Vec::with_capacity(waiting.len());
    for (nth, read) in waiting.iter().enumerate() {
        let outputs = &read.query.outputs;
        let mut of_read = vec![0; outputs.len()];
        text.push_str(if nth > 0 { " union all " } else { "" });
        text.push_str(&format!("select {nth}::bigint"));
        let mut place = 1;
        for (kind, most) in most.iter().enumerate() {
            let own = outputs.iter().enumerate().filter(|(_, output)| wire(output) == kind);
            let mut filled = 0;
            for (at, _) in own {
                text.push_str(&format!(", b.c{at}"));
                if let Some(slot) = of_read.get_mut(at) {
                    *slot = place + filled;
                }
                filled += 1;
            }
            (filled..*most).for_each(|_| {
                text.push_str(", null::");
                text.push_str(WIRE[kind]);
            });
            place += most;
        }
        text.push_str(" from (");
        text.push_str(&read.text);
        text.push_str(") b(");
        (0..outputs.len()).for_each(|at| {
            text.push_str(if at > 0 { ", c" } else { "c" });
            text.push_str(&at.to_string());
        });
        text.push(')');
        places.push(of_read);
    }
    (text, places)
}
