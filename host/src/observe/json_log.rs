//! The log as JSON: one object a line, with the members of the event next to the time, the level and the target. A line that a
//! request's task logs has the request's id, whether the place in the code has it or not.

use std::fmt;

use chrono::{SecondsFormat, Utc};
use serde_json::{Map, Value as Json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use uuid::Uuid;

tokio::task_local! {
    static REQUEST: Uuid;
}

/// Runs the work of a request, whose lines have its id.
pub async fn within<F: Future>(request: Uuid, work: F) -> F::Output {
    REQUEST.scope(request, work).await
}

/// Formats events as JSON.
pub struct JsonLog;

impl<S, N> FormatEvent<S, N> for JsonLog
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        writeln!(writer, "{}", Json::Object(describe(event)))
    }
}

fn describe(event: &Event<'_>) -> Map<String, Json> {
    let mut members = Members(Map::new());
    event.record(&mut members);
    let mut fields = members.0;
    // Libraries that use the crate `log` name their target in a field.
    let library = fields.remove("log.target");
    fields.retain(|name, _| !name.starts_with("log."));
    let metadata = event.metadata();
    let time = Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true);
    let mut line = Map::new();
    line.insert("timestamp".into(), time.into());
    line.insert("level".into(), metadata.level().as_str().into());
    line.insert("target".into(), library.unwrap_or_else(|| metadata.target().into()));
    if let Some(message) = fields.remove("message") {
        line.insert("message".into(), message);
    }
    if let Ok(request) = REQUEST.try_with(Uuid::to_string) {
        line.insert("request".into(), request.into());
    }
    for (name, value) in fields {
        // The log's own members stay as they are.
        if name == "request" || !line.contains_key(&name) {
            line.insert(name, value);
        }
    }
    line
}

/// The fields of an event.
struct Members(Map<String, Json>);

impl Members {
    fn set(&mut self, field: &Field, value: impl Into<Json>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Members {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set(field, format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A log that is kept.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_line_is_one_object_with_the_request_s_id() {
        let kept = Kept::default();
        let (writer, request) = (kept.clone(), Uuid::from_u128(7));
        let log = tracing_subscriber::fmt().with_writer(move || writer.clone()).event_format(JsonLog).finish();
        let guard = tracing::subscriber::set_default(log);
        tracing::warn!(error = %"a \"fault\"\n", tries = 3_u64, level = "theirs", "cannot read");
        within(request, async { tracing::info!(ok = true, "inside") }).await;
        within(request, async { tracing::info!(request = %Uuid::nil(), "of another") }).await;
        drop(guard);
        let bytes = kept.0.lock().unwrap().clone();
        let lines: Vec<Json> =
            String::from_utf8(bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0]["level"], "WARN");
        assert_eq!(lines[0]["message"], "cannot read");
        assert_eq!(lines[0]["error"], "a \"fault\"\n");
        assert_eq!(lines[0]["tries"], 3);
        assert!(lines[0].get("request").is_none(), "it is of no request");
        assert_eq!(lines[1]["request"], request.to_string());
        assert_eq!(lines[1]["ok"], true);
        assert_eq!(lines[2]["request"], Uuid::nil().to_string());
        assert!(lines.iter().all(|line| line["target"].as_str().is_some_and(|target| target.contains("json_log"))));
    }
}
