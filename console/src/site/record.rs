//! Records: what can be done with one and read of it (rules R6 and R7).

use http::Method;

use super::operation::Operation;
use super::{Site, collection, reference, rest};

/// The page of a record. Numbers are indexes into `Site::operations` and, for collections, `Site::collections`.
pub struct Record {
    pub read: usize,
    pub collection: Option<usize>,
    /// PUT and PATCH at its path.
    pub edits: Vec<usize>,
    pub delete: Option<usize>,
    pub transitions: Vec<Transition>,
    pub reads: Vec<Reading>,
    pub children: Vec<usize>,
}

pub struct Transition {
    pub operation: usize,
    pub part: Option<Part>,
}

/// A part of a record, which a transition names by a parameter that the record's address lacks.
pub struct Part {
    pub parameter: String,
    /// The member of the record that lists its parts, if the path names it: `shipments`.
    pub member: Option<String>,
}

pub struct Reading {
    pub operation: usize,
    /// A parameter of the path that the record's address lacks.
    pub asked: Option<String>,
}

/// The place of an operation: the number of its record and the parameters of its path that the record's address lacks.
type Place = (usize, Vec<Part>);

pub fn find(site: &Site) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let mut add = |read: usize, collection: Option<usize>| {
        if !records.iter().any(|record| record.read == read) {
            let (edits, transitions, reads, children) = Default::default();
            records.push(Record { read, collection, edits, delete: None, transitions, reads, children });
        }
    };
    for (number, collection) in site.collections.iter().enumerate() {
        if let Some(read) = collection.record {
            let of =
                site.collections.iter().position(|other| other.record == Some(read) && is_below(site, read, other));
            add(read, of.or(Some(number)));
        }
    }
    let is_list = |number: usize| site.collections.iter().any(|collection| collection.list == number);
    let parts_of = |read: &Operation| {
        let mut above = site.collections.iter().filter_map(|collection| site.operations.get(collection.record?));
        above.any(|other| rest(&read.path, &other.path).is_some())
    };
    for (number, read) in site.operations.iter().enumerate() {
        // One without a list, that belongs to no other record.
        let is_record = read.is_read() && read.of_company && read.path.ends_with('}') && !is_list(number);
        let is_attached = || first_reference(site, read).is_some();
        if is_record && !parts_of(read) && !is_attached() {
            add(number, None);
        }
    }
    for (number, parent) in site.collections.iter().map(|collection| collection.parent).enumerate() {
        let read = parent.and_then(|parent| site.collections.get(parent)?.record);
        if let Some(record) = records.iter_mut().find(|record| Some(record.read) == read) {
            record.children.push(number);
        }
    }
    let is_used = |number: usize| {
        let uses = |one: &collection::Collection| one.create == Some(number) || one.actions.contains(&number);
        site.collections.iter().any(uses) || records.iter().any(|record| record.read == number)
    };
    let free = site.operations.iter().enumerate().map(|(number, operation)| {
        let is_free = operation.of_company && !is_list(number) && !is_used(number);
        is_free.then(|| place(site, &records, operation)).flatten()
    });
    let places: Vec<Option<Place>> = free.collect();
    for (number, (operation, found)) in site.operations.iter().zip(places).enumerate() {
        let Some((record, mut parts)) = found else { continue };
        let Some(record) = records.get_mut(record) else { continue };
        let below = site.operations.get(record.read).and_then(|read| rest(&operation.path, &read.path));
        let is_at = below.is_some_and(|below| below.is_empty());
        let part = parts.pop();
        match operation.method {
            // Its form or its link can ask for one parameter.
            _ if !parts.is_empty() => {}
            Method::GET => {
                record.reads.push(Reading { operation: number, asked: part.map(|part| part.parameter) });
            }
            Method::PUT | Method::PATCH if is_at => record.edits.push(number),
            Method::DELETE if is_at => record.delete = Some(number),
            _ => record.transitions.push(Transition { operation: number, part }),
        }
    }
    records
}

/// True if the record's path is that of the collection and a parameter.
fn is_below(site: &Site, read: usize, collection: &collection::Collection) -> bool {
    let paths = site.operations.get(read).zip(site.operations.get(collection.list));
    paths.is_some_and(|(read, list)| rest(&read.path, &list.path).is_some_and(|rest| rest.len() == 1))
}

/// The longest record above the path; for a read else the record to which its first parameter refers (R7).
fn place(site: &Site, records: &[Record], operation: &Operation) -> Option<Place> {
    let above = records.iter().enumerate().filter_map(|(number, record)| {
        let read = site.operations.get(record.read)?;
        Some((number, rest(&operation.path, &read.path)?))
    });
    if let Some((number, below)) = above.min_by_key(|(_, below)| below.len()) {
        return Some((number, list_parts(&below)));
    }
    let segments: Vec<&str> = operation.path.split('/').collect();
    let first = segments.iter().position(|segment| operation.is_read() && segment.starts_with('{'))?;
    let collection = first_reference(site, operation)?;
    let number = records.iter().position(|record| Some(record.read) == collection.record)?;
    Some((number, list_parts(segments.get(first + 1..).unwrap_or_default())))
}

fn first_reference<'a>(site: &'a Site, operation: &Operation) -> Option<&'a collection::Collection> {
    reference::find(site, operation, &[], &operation.path_parameters().next()?.name)
}

fn list_parts(below: &[&str]) -> Vec<Part> {
    let parameters = below.iter().enumerate().filter_map(|(number, segment)| {
        let parameter = segment.strip_prefix('{')?.strip_suffix('}')?.to_owned();
        let member =
            number.checked_sub(1).and_then(|before| below.get(before)).map(|member| reference::to_member(member));
        Some(Part { parameter, member })
    });
    parameters.collect()
}
