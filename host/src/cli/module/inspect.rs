//! `stoa module inspect`: a component file in words, or as the data that the contract's comparison works on.

use std::path::PathBuf;

use clap::Args;
use stoa_descriptor::extension::Extension;
use stoa_descriptor::{Named, Route};

use crate::cli;
use crate::gate::artifact::Artifact;
use crate::gate::surface::{Services, Surface};
use crate::gate::{describe, diff};

#[derive(Args)]
pub struct Flags {
    /// The component: NAME.wasm
    file: PathBuf,
    /// Print everything as one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(flags: &Flags) -> anyhow::Result<()> {
    let artifact = Artifact::read(&flags.file)?;
    let gate = cli::gate_of_strangers(1)?;
    let loaded = gate.load(&artifact)?;
    let descriptor = describe::read(&gate.describe(&artifact.digest, &loaded)?)?;
    describe::check_examples(&descriptor)?;
    let surface =
        Surface::new(&gate.engine, &loaded.component, descriptor, &artifact.digest, artifact.bytes.len() as u64);
    if flags.json {
        println!("{}", serde_json::to_string_pretty(&surface)?);
    } else {
        print!("{}", describe(&surface));
    }
    Ok(())
}

fn describe(surface: &Surface) -> String {
    let Surface { descriptor, .. } = surface;
    let mut lines = vec![
        format!("{} {}", descriptor.name, descriptor.version),
        descriptor.description.clone(),
        format!("sha256 {}", surface.digest),
        format!("{} bytes", surface.size),
    ];
    section(&mut lines, "routes", descriptor.routes.iter().map(route));
    section(&mut lines, "permissions", descriptor.permissions.iter().map(format_code));
    section(&mut lines, "scopes", descriptor.scopes.iter().map(format_code));
    let events = descriptor.events.iter();
    section(
        &mut lines,
        "events",
        events.map(|kind| format!("{} of {}: {}", kind.code, kind.resource_type, kind.description)),
    );
    let problems =
        descriptor.problems.iter().map(|problem| format!("{} {}: {}", problem.status, problem.code, problem.detail));
    section(&mut lines, "problem codes", problems);
    section(&mut lines, "item codes", descriptor.item_codes.iter().map(format_code));
    section(&mut lines, "audit filters", descriptor.audit_filters.iter().map(format_code));
    let members = descriptor.onboarding.iter().filter_map(|schema| schema.get("properties")?.as_object());
    section(&mut lines, "onboarding members", members.flat_map(|members| members.keys().cloned()));
    let collections = descriptor.collections.iter().map(|collection| {
        let columns: Vec<&str> = collection.columns.iter().map(|column| column.name.as_str()).collect();
        format!("{} ({}): {}", collection.name, kind(collection.kind), columns.join(", "))
    });
    section(&mut lines, "collections", collections);
    services(&mut lines, "services offered", &surface.offers);
    services(&mut lines, "services wanted", &surface.wants);
    section(&mut lines, "points called", descriptor.points.iter().map(format_code));
    section(&mut lines, "extends", descriptor.extends.iter().map(format_extension));
    let received = descriptor.receives.iter();
    section(&mut lines, "receives", received.map(|it| format!("{} {}", it.kind, it.moment.as_str())));
    let timers = descriptor.timers.iter();
    let timers = timers.map(|it| format!("{} every {} minutes: {}", it.code, it.every_minutes, it.description));
    section(&mut lines, "timers", timers);
    section(&mut lines, "shows", descriptor.shows.iter().map(|shown| shown.place.clone()));
    section(&mut lines, "imports", surface.imports.iter().cloned());
    lines.join("\n") + "\n"
}

fn section(lines: &mut Vec<String>, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("  {item}")).collect();
    if !items.is_empty() {
        lines.push(String::new());
        lines.push(title.to_owned());
        lines.extend(items);
    }
}

fn services(lines: &mut Vec<String>, title: &str, services: &Services) {
    section(
        lines,
        title,
        services.iter().flat_map(|(interface, functions)| {
            let functions = functions.iter().map(|(name, signature)| format!("  {name}: {signature}"));
            std::iter::once(interface.clone()).chain(functions)
        }),
    );
}

fn route(route: &Route) -> String {
    format!("{} {} ({}): {}", route.method, route.path, route.operation, diff::describe_callers(route))
}

fn format_code(named: &Named) -> String {
    format!("{}: {}", named.code, named.description)
}

fn format_extension(extension: &Extension) -> String {
    let codes: Vec<&str> = extension.problems.iter().chain(&extension.item_codes).map(String::as_str).collect();
    match codes.is_empty() {
        true => extension.interface.clone(),
        false => format!("{}: {}", extension.interface, codes.join(", ")),
    }
}

fn kind(kind: stoa_descriptor::Kind) -> &'static str {
    match kind {
        stoa_descriptor::Kind::Record => "record",
        stoa_descriptor::Kind::Ledger => "ledger",
        stoa_descriptor::Kind::Projection => "projection",
    }
}
