//! Services: the functions that other modules were built against must be there still, under a version that says what
//! changed, for the callers for whom it was there.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use stoa_descriptor::Descriptor;

use super::{Change, Code, codes};
use crate::gate::surface::{Services, Surface};
use crate::sandbox::interface::InterfaceName;
use crate::sandbox::signature::CUT;

/// Begins the detail of a service that is wanted, before its functions.
const MAY_CALL: &str = "may call ";

type Functions = BTreeMap<String, String>;

pub fn changes(old: &Surface, new: &Surface, changes: &mut Vec<Change>) {
    let (was, is) = (parse_names(&old.offers), parse_names(&new.offers));
    for (name, functions) in &was {
        compare_offer(name, functions, &is, old.digest == new.digest, changes);
    }
    for (name, _) in is.iter().filter(|(name, _)| !was.iter().any(|(other, _)| other == name)) {
        // A higher version in the place of a lower one is reported by its functions.
        let replaces = was.iter().any(|(old, _)| old.accepts(name) && !is.iter().any(|(kept, _)| kept == old));
        if !replaces {
            changes.push(Change::new(codes::SERVICE_ADDED, name.to_string(), ""));
        }
    }
    compare_access(old, new, changes);
    compare_wants(&old.wants, &new.wants, codes::SERVICE_UNWANTED, changes);
    compare_wants(&new.wants, &old.wants, codes::SERVICE_WANTED, changes);
}

fn parse_names(services: &Services) -> Vec<(InterfaceName, &Functions)> {
    services.iter().filter_map(|(name, functions)| Some((InterfaceName::parse(name)?, functions))).collect()
}

/// `same_bytes`: both are the same component.
fn compare_offer(
    name: &InterfaceName,
    functions: &Functions,
    is: &[(InterfaceName, &Functions)],
    same_bytes: bool,
    changes: &mut Vec<Change>,
) {
    // A caller of the service gets the highest version that fits; and one version means one thing.
    let highest = is.iter().filter(|(other, _)| name.accepts(other)).max_by(|(a, _), (b, _)| a.version.cmp(&b.version));
    let same = is.iter().find(|(other, _)| other == name).filter(|same| highest != Some(*same));
    if highest.is_none() {
        return changes.push(explain_removal(name, is));
    }
    for (other, now) in highest.into_iter().chain(same) {
        let mut tell = |code: Code, function: &str, detail: String| {
            changes.push(Change::new(code, format!("{name}#{function}"), detail));
        };
        for (function, signature) in functions {
            match now.get(function) {
                None => {
                    tell(codes::SERVICE_FUNCTION_REMOVED, function, format!("{} has no such function", other.version))
                }
                // The rest of a text that was cut is not known.
                Some(other) if other != signature || (!same_bytes && signature.ends_with(CUT)) => {
                    tell(codes::SERVICE_SIGNATURE_CHANGED, function, format!("was {signature}, now {other}"));
                }
                Some(_) => {}
            }
        }
        for (function, signature) in now.iter().filter(|(function, _)| !functions.contains_key(*function)) {
            if is_raised(&name.version, &other.version) {
                tell(codes::SERVICE_FUNCTION_ADDED, function, format!("{signature}, in {}", other.version));
            } else {
                let detail =
                    format!("is new in {}, was not in {}: raise the minor version", other.version, name.version);
                tell(codes::SERVICE_VERSION_NOT_RAISED, function, detail);
            }
        }
    }
}

/// The change of a service that is no longer offered to the modules that import it.
fn explain_removal(name: &InterfaceName, is: &[(InterfaceName, &Functions)]) -> Change {
    let others: Vec<&Version> =
        is.iter().filter(|(other, _)| other.path == name.path).map(|(other, _)| &other.version).collect();
    let detail = || {
        let shown: Vec<String> = others.iter().map(|version| version.to_string()).collect();
        format!("was {}, now {}", name.version, shown.join(" and "))
    };
    let lowered = |version: &&Version| **version < name.version && version.major == name.version.major;
    if others.is_empty() {
        Change::new(codes::SERVICE_REMOVED, name.to_string(), "")
    } else if others.iter().any(lowered) {
        Change::new(codes::SERVICE_VERSION_LOWERED, name.to_string(), detail())
    } else {
        Change::new(codes::SERVICE_MAJOR_CHANGED, name.to_string(), detail())
    }
}

/// Returns whether the version says that something was added.
fn is_raised(was: &Version, is: &Version) -> bool {
    // Before 1.0 the patch version does what the minor does later.
    if was.major == 0 { is > was } else { is.minor > was.minor }
}

/// Compares the rights that callers must hold for the functions that were offered and still are.
fn compare_access(old: &Surface, new: &Surface, changes: &mut Vec<Change>) {
    let (was, is) = (list_functions(&old.offers), list_functions(&new.offers));
    for (interface, function) in was.intersection(&is) {
        let service_access = |surface: &Surface| surface.descriptor.service_access(interface, function).cloned();
        let (was, is) = (service_access(old), service_access(new));
        // None: it is not stated, and every caller is served.
        let sides = [
            (was.as_ref().map(|access| &access.permissions), is.as_ref().map(|access| &access.permissions)),
            (was.as_ref().map(|access| &access.scopes), is.as_ref().map(|access| &access.scopes)),
        ];
        let mut tell = |code: Code, changed: bool| {
            if changed {
                let [users, clients] = sides.map(|(was, is)| format!("{} instead of {}", show(is), show(was)));
                let detail = format!("users: {users}; API clients: {clients}");
                changes.push(Change::new(code, format!("{interface}#{function}"), detail));
            }
        };
        tell(codes::SERVICE_ACCESS_NARROWED, sides.iter().any(|(was, is)| !implies(*was, *is)));
        tell(codes::SERVICE_ACCESS_WIDENED, sides.iter().any(|(was, is)| !implies(*is, *was)));
    }
}

/// Names in each SERVICE_WANTED what callers of the functions must hold, by the modules that offer them now: a grant
/// says what a module may do, not only what it may call.
pub fn name_needs(changes: &mut [Change], active: &[&Descriptor]) {
    for change in changes.iter_mut().filter(|change| change.code == codes::SERVICE_WANTED.name) {
        let (interface, function) = change.item.split_once('#').unwrap_or((&change.item, ""));
        let Some(wanted) = InterfaceName::parse(interface) else { continue };
        let functions = change.detail.strip_prefix(MAY_CALL).unwrap_or(function);
        let needs = functions.split(", ").map(|function| {
            let access = active.iter().find_map(|descriptor| descriptor.service_access(&wanted.path, function));
            match access {
                None => function.to_owned(),
                Some(access) => {
                    let [users, clients] = [&access.permissions, &access.scopes].map(|codes| show(Some(codes)));
                    format!("{function} (users: {users}; API clients: {clients})")
                }
            }
        });
        change.detail = format!("{MAY_CALL}{}", needs.collect::<Vec<_>>().join(", "));
    }
}

/// Interfaces, whatever their version, with their functions.
fn list_functions(services: &Services) -> BTreeSet<(String, String)> {
    let named_functions = |(name, functions): (InterfaceName, &Functions)| {
        functions.keys().map(|function| (name.path.clone(), function.clone())).collect::<Vec<_>>()
    };
    parse_names(services).into_iter().flat_map(named_functions).collect()
}

/// Returns whether everybody who was served still is.
fn implies(was: Option<&Vec<String>>, is: Option<&Vec<String>>) -> bool {
    match (was, is) {
        (_, None) => true,
        (None, Some(_)) => false,
        // No caller was served.
        (Some(was), Some(_)) if was.is_empty() => true,
        (Some(was), Some(is)) => !is.is_empty() && is.iter().all(|code| was.contains(code)),
    }
}

fn show(needs: Option<&Vec<String>>) -> String {
    match needs.map(Vec::as_slice) {
        None => "anybody".to_owned(),
        Some([]) => "nobody".to_owned(),
        Some(codes) => codes.join(" and "),
    }
}

fn compare_wants(wants: &Services, beside: &Services, code: Code, changes: &mut Vec<Change>) {
    for (name, functions) in wants {
        match beside.get(name) {
            None => {
                let functions: Vec<&str> = functions.keys().map(String::as_str).collect();
                let detail = if code == codes::SERVICE_WANTED {
                    format!("{MAY_CALL}{}", functions.join(", "))
                } else {
                    String::new()
                };
                changes.push(Change::new(code, name.as_str(), detail));
            }
            Some(others) => {
                for function in functions.keys().filter(|function| !others.contains_key(*function)) {
                    changes.push(Change::new(code, format!("{name}#{function}"), ""));
                }
            }
        }
    }
}
