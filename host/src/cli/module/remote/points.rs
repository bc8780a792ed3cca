//! `stoa module points` and `arrange`: the points of a host, and the sequence of their extensions.

use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::change::describe_activation;
use super::{Host, items, text};

#[derive(Subcommand)]
pub enum PointsVerb {
    /// List the points, their extensions in sequence, and the calls of each on this host.
    #[command(after_help = "Example: stoa module points")]
    Points(ListPoints),
    /// Set the sequence in which the extensions of a point are called. Makes a new generation.
    #[command(after_help = "Example: stoa module arrange checkout tax-rules loyalty")]
    Arrange(Arrange),
}

#[derive(clap::Args)]
pub struct ListPoints {
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct Arrange {
    /// The point, as `points` lists it.
    point: String,
    /// Every extension of the point once, in the new sequence.
    #[arg(required = true, value_name = "MODULE")]
    modules: Vec<String>,
    /// Fail unless this generation is the active one.
    #[arg(long)]
    expected_generation: Option<u64>,
    #[command(flatten)]
    host: Host,
}

pub fn run(verb: PointsVerb) -> anyhow::Result<()> {
    match verb {
        PointsVerb::Points(args) => list(&args),
        PointsVerb::Arrange(args) => arrange(&args),
    }
}

fn list(args: &ListPoints) -> anyhow::Result<()> {
    let answer = args.host.ask(Method::GET, "points", |request| request)?;
    args.host.show(&answer, |answer| {
        let mut lines = vec![format!("generation {}", answer["generation"])];
        items(&answer["points"]).for_each(|point| describe_point(point, &mut lines));
        lines.join("\n")
    })
}

/// A point with its callers, each sentence of theirs once, and its extensions.
fn describe_point(point: &Json, lines: &mut Vec<String>) {
    let callers: Vec<&str> = items(&point["calledBy"]).map(|caller| text(&caller["module"])).collect();
    let mut sentences: Vec<&str> = items(&point["calledBy"]).map(|caller| text(&caller["description"])).collect();
    sentences.dedup();
    lines.push(match callers.is_empty() {
        true => text(&point["point"]).to_owned(),
        false => format!("{}, called by {}: {}", text(&point["point"]), callers.join(", "), sentences.join(" ")),
    });
    let extensions = items(&point["extensions"]).zip(1_usize..);
    let before = lines.len();
    lines.extend(extensions.map(|(extension, nth)| format!("  {nth} {}", describe_extension(extension))));
    if lines.len() == before {
        lines.push("  no extension".to_owned());
    }
}

fn describe_extension(extension: &Json) -> String {
    let parts = items(&extension["kinds"]).chain(items(&extension["places"])).map(text);
    let parts: Vec<&str> = parts.collect();
    let parts = if parts.is_empty() { String::new() } else { format!("  {}", parts.join(", ")) };
    format!(
        "{} {}{parts}  {} calls {} rejections {} failures p50 {} us p99 {} us",
        text(&extension["module"]),
        text(&extension["version"]),
        extension["calls"],
        extension["rejections"],
        extension["failures"],
        extension["p50Us"],
        extension["p99Us"],
    )
}

fn arrange(args: &Arrange) -> anyhow::Result<()> {
    let body = json!({ "modules": args.modules, "expectedGeneration": args.expected_generation });
    let answer = args.host.ask(Method::POST, &format!("points/{}", args.point), |request| request.json(&body))?;
    args.host.show(&answer, describe_activation)
}
