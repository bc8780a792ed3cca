//! `--json`, the same flag of the verbs that report something.

use clap::Args;

#[derive(Args)]
pub struct JsonFlag {
    /// Print JSON objects instead of lines.
    #[arg(long)]
    pub json: bool,
}
