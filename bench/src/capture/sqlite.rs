//! Taking down what the host runs on SQLite, by the library's own trace, on a host inside this process.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::ffi;
use stoa::database::{Database, Session, Shard, Verdict, Work};

use super::{Exchange, Statement, Value};

const PATIENCE: Duration = Duration::from_secs(10);

/// Statements in the order they ran: their text, and the same with the values written out.
type Heard = Mutex<Vec<(String, String)>>;

pub struct Recorder(&'static Heard);

impl Recorder {
    /// Listens to the connections that writes and reads of this database run on; reads must have one reader.
    pub async fn attach(database: &Database) -> anyhow::Result<Recorder> {
        // Connections may outlive this value, so the list is never freed: a few kilobytes, once.
        let heard: &'static Heard = Box::leak(Box::default());
        let work: Work<()> = Arc::new(move |session| {
            if let Session::Sqlite(connection) = &session {
                listen(connection, heard);
            }
            Box::pin(std::future::ready((Some(session), Verdict::RollBack(()))))
        });
        database.write(Shard::Global, work.clone()).await?;
        let recorder = Recorder(heard);
        recorder.take().await?;
        database.read(Shard::Global, work).await?;
        recorder.take().await?;
        Ok(recorder)
    }

    /// Exchanges recorded since the last time, up to the end of a transaction, which may come after its answer.
    pub async fn take(&self) -> anyhow::Result<Vec<Exchange>> {
        let ended = |(sql, _): &(String, String)| sql == "commit" || sql == "rollback";
        let begun = Instant::now();
        while !self.0.lock().unwrap_or_else(PoisonError::into_inner).last().is_some_and(ended) {
            anyhow::ensure!(begun.elapsed() < PATIENCE, "a transaction was begun and never ended");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let heard = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        heard.into_iter().map(|(sql, written)| Ok(vec![Statement { values: values(&sql, &written)?, sql }])).collect()
    }
}

fn listen(connection: &rusqlite::Connection, heard: &'static Heard) {
    let context = std::ptr::from_ref(heard).cast_mut().cast::<c_void>();
    // SAFETY: the handle is that of an open connection, used on its own thread; `context` lives forever and is only shared.
    unsafe {
        ffi::sqlite3_trace_v2(connection.handle(), ffi::SQLITE_TRACE_STMT as c_uint, Some(on_statement), context);
    }
}

/// # Safety
/// SQLite calls it with the context of `listen`, a running statement, and the text of the statement or of a trigger's comment.
unsafe extern "C" fn on_statement(
    _event: c_uint,
    context: *mut c_void,
    statement: *mut c_void,
    text: *mut c_void,
) -> c_int {
    // SAFETY: see above; the texts are copied, and the one that `sqlite3_expanded_sql` makes is given back.
    unsafe {
        let heard = &*context.cast::<Heard>();
        if CStr::from_ptr(text.cast()).to_bytes().starts_with(b"--") {
            return 0;
        }
        let sql = CStr::from_ptr(ffi::sqlite3_sql(statement.cast())).to_string_lossy().into_owned();
        let expanded = ffi::sqlite3_expanded_sql(statement.cast());
        if !expanded.is_null() {
            let written = CStr::from_ptr(expanded).to_string_lossy().into_owned();
            ffi::sqlite3_free(expanded.cast());
            heard.lock().unwrap_or_else(PoisonError::into_inner).push((sql, written));
        }
    }
    0
}

/// The values of a statement, read where its text has placeholders and the other the values.
fn values(sql: &str, written: &str) -> anyhow::Result<Vec<Value>> {
    let mut values: Vec<Value> = Vec::new();
    let (mut template, mut text) = (sql, written);
    loop {
        let plain = template.find('?').unwrap_or(template.len());
        let (front, rest) = template.split_at(plain);
        text = text.strip_prefix(front).ok_or_else(|| anyhow::anyhow!("`{written}` is not `{sql}`"))?;
        let Some(rest) = rest.strip_prefix('?') else { return Ok(values) };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: usize = rest.get(..digits).unwrap_or_default().parse()?;
        let (value, after) = literal(text).ok_or_else(|| anyhow::anyhow!("no value at `{text}`"))?;
        if values.len() < number {
            values.resize(number, Value::Null(String::new()));
        }
        if let Some(place) = values.get_mut(number - 1) {
            *place = value;
        }
        (template, text) = (rest.get(digits..).unwrap_or_default(), after);
    }
}

/// The literal at the front, and what follows it.
fn literal(text: &str) -> Option<(Value, &str)> {
    if let Some(rest) = text.strip_prefix("NULL") {
        return Some((Value::Null(String::new()), rest));
    }
    if let Some(rest) = text.strip_prefix("x'") {
        let (hex, rest) = rest.split_once('\'')?;
        let bytes: Vec<u8> = (0..hex.len() / 2)
            .map(|index| u8::from_str_radix(hex.get(index * 2..index * 2 + 2)?, 16).ok())
            .collect::<Option<_>>()?;
        let value = uuid::Uuid::from_slice(&bytes).map_or(Value::Bytes(bytes), Value::Id);
        return Some((value, rest));
    }
    if let Some(rest) = text.strip_prefix('\'') {
        let mut offset = 0;
        loop {
            offset += rest.get(offset..)?.find('\'')?;
            if rest.get(offset + 1..)?.starts_with('\'') {
                offset += 2;
            } else {
                return Some((Value::Text(rest.get(..offset)?.replace("''", "'")), rest.get(offset + 1..)?));
            }
        }
    }
    let end = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
    Some((Value::Integer(text.get(..end)?.parse().ok()?), text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_back() {
        let read = values("insert into t values (?2, ?1, ?3) -- x", "insert into t values ('it''s', -5, x'0102') -- x")
            .unwrap();
        assert_eq!(read, [Value::Integer(-5), Value::Text("it's".to_owned()), Value::Bytes(vec![1, 2])]);
    }
}
