//! Extensions: points that a module extends, events that it receives, timers, and members that it adds to responses. Each acts in requests
//! of other modules or in every company, so an operator consents to one that is new.

use std::collections::BTreeSet;

use stoa_descriptor::Descriptor;

use super::schema::{self, Direction, SchemaWithDefs};
use super::{Change, Code, codes};
use crate::gate::surface::Surface;

/// A part of an extension: its name, and what an operator wants to know of it.
type Parts = BTreeSet<(String, String)>;

pub fn changes(old: &Surface, new: &Surface, changes: &mut Vec<Change>) {
    let (was, is) = (&old.descriptor, &new.descriptor);
    let mut compare = |list: fn(&Descriptor) -> Parts, gone: Code, added: Code| {
        let (was, is) = (list(was), list(is));
        let change = |code: Code, (item, detail): &(String, String)| Change::new(code, item.as_str(), detail.as_str());
        changes.extend(was.difference(&is).map(|part| change(gone, part)));
        changes.extend(is.difference(&was).map(|part| change(added, part)));
    };
    compare(list_points, codes::POINT_LEFT, codes::POINT_EXTENDED);
    compare(list_events, codes::EVENT_NOT_RECEIVED, codes::EVENT_RECEIVED);
    compare(list_timers, codes::TIMER_REMOVED, codes::TIMER_ADDED);
    compare(list_places, codes::VIEW_REMOVED, codes::VIEW_ADDED);
    for before in &was.shows {
        let Some(after) = is.shows.iter().find(|shown| shown.place == before.place) else { continue };
        let item = format!("{} extensions.{}", before.place, is.name);
        let before = SchemaWithDefs { schema: &before.schema, defs: &was.schemas };
        let after = SchemaWithDefs { schema: &after.schema, defs: &is.schemas };
        changes.extend(schema::compare(Direction::Response, &item, before, after));
    }
}

fn list_points(descriptor: &Descriptor) -> Parts {
    descriptor.extends.iter().map(|extension| (extension.interface.clone(), String::new())).collect()
}

fn list_events(descriptor: &Descriptor) -> Parts {
    let received = descriptor.receives.iter();
    received.map(|receiving| (receiving.kind.clone(), receiving.moment.as_str().to_owned())).collect()
}

fn list_timers(descriptor: &Descriptor) -> Parts {
    let timers = descriptor.timers.iter();
    timers.map(|timer| (timer.code.clone(), format!("every {} minutes", timer.every_minutes))).collect()
}

fn list_places(descriptor: &Descriptor) -> Parts {
    descriptor.shows.iter().map(|shown| (shown.place.clone(), format!("extensions.{}", descriptor.name))).collect()
}
