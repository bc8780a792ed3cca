//! Entries of a descriptor by code: permissions, scopes, events, problem codes, audit filters, onboarding members; and the
//! module's version and imports.

use std::collections::BTreeSet;

use semver::Version;
use serde_json::json;
use stoa_descriptor::{Descriptor, Named};

use super::schema::{self, Direction, SchemaWithDefs};
use super::{Change, Code, codes};
use crate::gate::surface::Surface;

/// Compares only the version. One that is not semantic is rejected elsewhere and never counts as lower.
pub fn version(old: &Surface, new: &Surface, changes: &mut Vec<Change>) {
    let (was, is) = (&old.descriptor.version, &new.descriptor.version);
    let code = match (Version::parse(was), Version::parse(is)) {
        (Ok(was), Ok(is)) if is < was => codes::MODULE_VERSION_LOWERED,
        _ if was != is => codes::MODULE_VERSION_RAISED,
        _ if old.digest != new.digest => codes::MODULE_VERSION_KEPT,
        _ => return,
    };
    let detail = if was == is { format!("other bytes under {is}") } else { format!("was {was}, now {is}") };
    changes.push(Change::new(code, new.descriptor.name.as_str(), detail));
}

/// An unsigned module is from the folder of a --dev host, whose author may go on with it.
pub fn signer(old: &Surface, new: &Surface, changes: &mut Vec<Change>) {
    if let (Some(was), Some(is)) = (&old.signer, &new.signer)
        && was != is
    {
        changes.push(Change::new(codes::SIGNER_CHANGED, new.descriptor.name.as_str(), format!("was {was}, now {is}")));
    }
}

pub fn changes(old: &Surface, new: &Surface, changes: &mut Vec<Change>) {
    let pair = |list: fn(&Descriptor) -> &Vec<Named>| (list(&old.descriptor), list(&new.descriptor));
    compare_codes(pair(|d| &d.permissions), codes::PERMISSION_REMOVED, codes::PERMISSION_ADDED, changes);
    compare_codes(pair(|d| &d.scopes), codes::SCOPE_REMOVED, codes::SCOPE_ADDED, changes);
    compare_codes(pair(|d| &d.audit_filters), codes::AUDIT_FILTER_REMOVED, codes::AUDIT_FILTER_ADDED, changes);
    events(&old.descriptor, &new.descriptor, changes);
    problems(&old.descriptor, &new.descriptor, changes);
    compare_codes(pair(|d| &d.item_codes), codes::ITEM_CODE_REMOVED, codes::ITEM_CODE_ADDED, changes);
    compare_onboarding(&old.descriptor, &new.descriptor, changes);
    let texts = |surface: &'_ Surface| surface.imports.iter().cloned().collect::<BTreeSet<String>>();
    let (was, is) = (texts(old), texts(new));
    changes.extend(was.difference(&is).map(|import| Change::new(codes::IMPORT_REMOVED, import, "")));
    changes.extend(is.difference(&was).map(|import| Change::new(codes::IMPORT_ADDED, import, "")));
}

fn compare_codes((old, new): (&Vec<Named>, &Vec<Named>), removed: Code, added: Code, changes: &mut Vec<Change>) {
    let missing = |named: &&Named, list: &Vec<Named>| !list.iter().any(|other| other.code == named.code);
    let reported = |code: Code, named: &Named| Change::new(code, named.code.as_str(), named.description.as_str());
    changes.extend(old.iter().filter(|named| missing(named, new)).map(|named| reported(removed, named)));
    changes.extend(new.iter().filter(|named| missing(named, old)).map(|named| reported(added, named)));
}

/// An event is a statement, as a response is: who reads it expects of its data what a caller expects of an answer's body.
fn events(old: &Descriptor, new: &Descriptor, changes: &mut Vec<Change>) {
    for was in &old.events {
        let code = was.code.as_str();
        let Some(is) = new.events.iter().find(|is| is.code == code) else {
            changes.push(Change::new(codes::EVENT_REMOVED, code, was.description.as_str()));
            continue;
        };
        if was.resource_type != is.resource_type {
            let detail = format!("was {}, now {}", was.resource_type, is.resource_type);
            changes.push(Change::new(codes::EVENT_RESOURCE_CHANGED, code, detail));
        }
        let was = SchemaWithDefs { schema: &was.data, defs: &old.schemas };
        let is = SchemaWithDefs { schema: &is.data, defs: &new.schemas };
        changes.extend(schema::compare(Direction::Response, &format!("{code} data"), was, is));
    }
    for is in new.events.iter().filter(|is| !old.events.iter().any(|was| was.code == is.code)) {
        changes.push(Change::new(codes::EVENT_ADDED, is.code.as_str(), is.description.as_str()));
    }
}

fn problems(old: &Descriptor, new: &Descriptor, changes: &mut Vec<Change>) {
    for was in &old.problems {
        match new.problems.iter().find(|is| is.code == was.code) {
            None => changes.push(Change::new(codes::PROBLEM_REMOVED, was.code.as_str(), "")),
            Some(is) if is.status != was.status => {
                let detail = format!("was {}, now {}", was.status, is.status);
                changes.push(Change::new(codes::PROBLEM_STATUS_CHANGED, was.code.as_str(), detail));
            }
            Some(_) => {}
        }
    }
    for is in new.problems.iter().filter(|is| !old.problems.iter().any(|was| was.code == is.code)) {
        changes.push(Change::new(codes::PROBLEM_ADDED, is.code.as_str(), format!("status {}", is.status)));
    }
}

fn compare_onboarding(old: &Descriptor, new: &Descriptor, changes: &mut Vec<Change>) {
    // As the host composes the body: it takes the members that modules name and no others.
    let onboarding_body = |descriptor: &Descriptor| {
        let part = |name: &str| descriptor.onboarding.as_ref().and_then(|schema| schema.get(name)).cloned();
        json!({
            "type": "object",
            "properties": part("properties").unwrap_or_else(|| json!({})),
            "required": part("required").unwrap_or_else(|| json!([])),
            "additionalProperties": false,
        })
    };
    let (was, is) = (onboarding_body(old), onboarding_body(new));
    let old = SchemaWithDefs { schema: &was, defs: &old.schemas };
    let new = SchemaWithDefs { schema: &is, defs: &new.schemas };
    changes.extend(schema::compare(Direction::Request, "onboarding", old, new));
}
