//! `stoa module check`: everything that a host would refuse a component for, without a host, and what it would change where it
//! takes another's place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use stoa_descriptor::names::{Foreign, foreign};
use stoa_descriptor::{Access, Descriptor};

use crate::cli;
use crate::gate::artifact::{Artifact, LARGEST};
use crate::gate::diff::{self, Change, codes};
use crate::gate::refusal::Refusal;
use crate::gate::surface::{Services, Surface};
use crate::gate::vetting::Gate;
use crate::platform;
use crate::problem;

#[derive(clap::Args)]
pub struct Flags {
    /// The component: NAME.wasm
    file: PathBuf,
    /// The component to compare with: reports the changes for callers, integrators and other modules
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Allow this breaking change (a code such as ROUTE_REMOVED); repeatable
    #[arg(long = "allow", value_name = "CODE")]
    allow: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Surface and changes of a component that a host would take.
struct Found {
    surface: Surface,
    changes: Vec<Change>,
}

pub fn run(flags: &Flags) -> anyhow::Result<()> {
    if let Some(unknown) = flags.allow.iter().find(|code| codes::find(code).is_none()) {
        anyhow::bail!("there is no change with the code {unknown}");
    }
    let gate = cli::gate_of_strangers(1)?;
    let against = match &flags.against {
        Some(file) => Some(surface(&gate, file)?.with_context(|| file.display().to_string())?),
        None => None,
    };
    let found = surface(&gate, &flags.file)?.map(|surface| Found {
        changes: against.as_ref().map(|against| diff::diff(Some(against), &surface)).unwrap_or_default(),
        surface,
    });
    let mut faults = Vec::new();
    match &found {
        Err(refusal) => faults.push(refusal.to_string()),
        Ok(found) => {
            let (name, descriptor) = (&found.surface.descriptor.name, against.as_ref().map(|other| &other.descriptor));
            if let Some(other) = descriptor.filter(|other| other.name != *name) {
                faults.push(format!("it is `{name}` and takes no place of `{}`", other.name));
            }
            let refused = found.changes.iter().filter(|change| is_refused(change, &flags.allow));
            faults.extend(refused.map(|change| format!("{} {}: {}", change.code, change.item, change.detail)));
        }
    }
    if flags.json {
        println!("{}", serde_json::to_string_pretty(&as_json(&found, &faults))?);
    } else {
        print!("{}", describe(&flags.file, &found, against.is_some(), &faults));
    }
    anyhow::ensure!(faults.is_empty(), "a host would refuse it: {}", faults.join("; "));
    Ok(())
}

/// Surface of a component, or the reason why no host takes it. `Err`: it cannot be read.
fn surface(gate: &Gate, file: &Path) -> anyhow::Result<Result<Surface, Refusal>> {
    let artifact = Artifact::read(file)?;
    Ok(gate.vet(&artifact).map(|vetted| Surface::from_vetted(&gate.engine, &vetted)))
}

fn is_refused(change: &Change, allowed: &[String]) -> bool {
    change.breaking && !allowed.iter().any(|code| code == change.code)
}

/// Permissions and scopes that its routes need and neither it nor the platform introduces: another module must.
fn foreign_permissions(descriptor: &Descriptor) -> Vec<&str> {
    let is_declared =
        |code: &str| descriptor.permissions.iter().chain(&descriptor.scopes).any(|named| named.code == code);
    let platform = |code: &str| platform::PERMISSIONS.iter().any(|(known, _)| *known == code);
    let mut foreign: Vec<&str> = descriptor
        .routes
        .iter()
        .flat_map(|route| {
            let (Access::All(codes) | Access::Any(codes)) = &route.access;
            codes.iter().map(String::as_str)
        })
        .filter(|code| !is_declared(code) && !platform(code))
        .collect();
    foreign.sort_unstable();
    foreign.dedup();
    foreign
}

/// Names that do not begin with the module's own: a partner's signer must be granted them.
fn foreign_names(descriptor: &Descriptor) -> Vec<String> {
    let names = foreign(descriptor, |_| false).into_iter();
    names.map(|Foreign { kind, name, .. }| format!("{kind} {name}")).collect()
}

/// Problem codes that its routes name and neither it nor the host has: another module must declare them.
fn foreign_problems(descriptor: &Descriptor) -> Vec<&str> {
    let is_declared = |code: &str| descriptor.problems.iter().any(|problem| problem.code == code);
    let host = |code: &str| problem::CODES.iter().any(|(known, ..)| *known == code);
    let codes = descriptor.routes.iter().flat_map(|route| route.problems.iter().map(String::as_str));
    codes.filter(|code| !is_declared(code) && !host(code)).collect::<BTreeSet<_>>().into_iter().collect()
}

fn as_json(found: &Result<Found, Refusal>, faults: &[String]) -> Json {
    match found {
        Err(refusal) => json!({ "ok": false, "faults": faults, "code": refusal.code }),
        Ok(Found { surface, changes }) => json!({
            "ok": faults.is_empty(),
            "faults": faults,
            "name": surface.descriptor.name,
            "version": surface.descriptor.version,
            "digest": surface.digest,
            "size": surface.size,
            "largestSize": LARGEST,
            "routes": surface.descriptor.routes.len(),
            "imports": surface.imports,
            "offers": surface.offers,
            "wants": surface.wants,
            "extends": surface.extends,
            "calls": surface.calls,
            "foreignPermissions": foreign_permissions(&surface.descriptor),
            "foreignProblems": foreign_problems(&surface.descriptor),
            "foreignNames": foreign_names(&surface.descriptor),
            "changes": changes,
        }),
    }
}

fn describe(file: &Path, found: &Result<Found, Refusal>, compared: bool, faults: &[String]) -> String {
    let Ok(Found { surface, changes }) = found else {
        return format!("{}: refused\n", file.display());
    };
    let descriptor = &surface.descriptor;
    let list = |title: &str, items: &[&str]| match items {
        [] => format!("{title}: none\n"),
        items => format!("{title}: {}\n", items.join(", ")),
    };
    let names = |services: &'_ Services| services.keys().cloned().collect::<Vec<String>>();
    let (offers, wants) = (names(&surface.offers), names(&surface.wants));
    let (extends, calls) = (names(&surface.extends), names(&surface.calls));
    let lists = [&offers, &wants, &surface.imports, &extends, &calls];
    let [offers, wants, imports, extends, calls] = lists.map(|names| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        names
    });
    let mut text = format!("{} {}, sha256 {}\n", descriptor.name, descriptor.version, surface.digest);
    text.push_str(&format!("{} of {LARGEST} bytes, {} operations\n", surface.size, descriptor.routes.len()));
    text.push_str(&list("imports, all of them allowed", &imports));
    text.push_str(&list("services offered", &offers));
    text.push_str(&list("services that other modules must offer", &wants));
    text.push_str(&list("interfaces by which it extends other modules", &extends));
    text.push_str(&list("points at which other modules may extend it", &calls));
    let (permissions, problems) = (foreign_permissions(descriptor), foreign_problems(descriptor));
    text.push_str(&list("permissions that other modules must introduce", &permissions));
    text.push_str(&list("problem codes that other modules must declare", &problems));
    let names = foreign_names(descriptor);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    text.push_str(&list("names that a partner's signer must be granted (names:WORD)", &names));
    if compared {
        text.push_str(&diff::text(changes));
    }
    let is_alone = wants.is_empty() && permissions.is_empty() && problems.is_empty();
    text.push_str(match (faults.is_empty(), is_alone) {
        (true, true) => "fine\n",
        (true, false) => "fine, where active modules have what others must offer, introduce and declare\n",
        (false, _) => "",
    });
    text
}
