//! Logs to stderr what the filter lets through. See `log_writer.rs` for a stderr that takes nothing.

use std::io::{self, IsTerminal as _};

use serde::Serialize;
use tracing_subscriber::EnvFilter;

use crate::log_writer::{self, LogLine};
use crate::observe::json_log::JsonLog;
use crate::settings::{LogFormat, Settings};

/// Reads the settings of a command and starts its log, which has warnings.
pub fn load_settings(flags: impl Serialize) -> anyhow::Result<Settings> {
    let settings = Settings::load(flags)?;
    start("warn", settings.log_format)?;
    Ok(settings)
}

/// # Errors
/// The system has no thread left for the log.
pub fn start(filter: &str, format: LogFormat) -> io::Result<()> {
    log_writer::start()?;
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    // The subscriber reports its own errors by `eprintln!`, which waits for stderr, and panics where stderr fails.
    let log = tracing_subscriber::fmt().with_writer(|| LogLine).log_internal_errors(false).with_env_filter(filter);
    match format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => log.event_format(JsonLog).init(),
    }
    Ok(())
}
