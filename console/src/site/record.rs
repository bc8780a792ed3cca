//! Records: what can be done with one and read of it (rules R6 and R7).

use http::Method;

use super::collection::Collection;
use super::operation::{Operation, to_parameter};
use super::reference::to_member;
use super::{Site, rest};

/// The page of a record. Numbers are indexes into `Site::operations` and, for collections, `Site::collections`.
#[derive(Default)]
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

pub fn find(site: &Site) -> Vec<Record> {
    let is_list = |number: usize| site.collections.iter().any(|collection| collection.list == number);
    let records = site.operations.iter().enumerate().filter_map(|(number, read)| {
        let own = || (0..).zip(&site.collections).filter(|(_, one)| one.record == Some(number));
        let is_above = |one: &Collection| {
            let list = site.operations.get(one.list);
            list.and_then(|list| rest(&read.path, &list.path)).is_some_and(|below| below.len() == 1)
        };
        let collection = own().find(|(_, one)| is_above(one)).or_else(|| own().next()).map(|(number, _)| number);
        // One without a list, that belongs to no other record.
        let is_record = read.is_read() && read.of_company && read.path.ends_with('}') && !is_list(number);
        let is_part = || {
            let mut above = site.collections.iter().filter_map(|one| site.operations.get(one.record?));
            above.any(|other| rest(&read.path, &other.path).is_some()) || first_reference(site, read).is_some()
        };
        (collection.is_some() || is_record && !is_part()).then_some((number, collection))
    });
    let records = records.map(|(read, collection)| {
        let is_of = |parent: usize| site.collections.get(parent).is_some_and(|parent| parent.record == Some(read));
        let children = (0..).zip(&site.collections).filter(|(_, one)| one.parent.is_some_and(is_of));
        Record { read, collection, children: children.map(|(number, _)| number).collect(), ..Record::default() }
    });
    let mut records: Vec<Record> = records.collect();
    let is_used = |number: usize| {
        let uses = |one: &Collection| one.create == Some(number) || one.actions.contains(&number);
        is_list(number) || site.collections.iter().any(uses)
    };
    for (number, operation) in site.operations.iter().enumerate().filter(|(_, one)| one.of_company) {
        if is_used(number) || records.iter().any(|record| record.read == number) {
            continue;
        }
        let Some((place, below)) = place(site, &records, operation) else { continue };
        let Some(record) = records.get_mut(place) else { continue };
        let mut parts = list_parts(&below);
        let part = parts.pop();
        match operation.method {
            // Its form or its link can ask for one parameter.
            _ if !parts.is_empty() => {}
            Method::GET => record.reads.push(Reading { operation: number, asked: part.map(|part| part.parameter) }),
            Method::PUT | Method::PATCH if below.is_empty() => record.edits.push(number),
            Method::DELETE if below.is_empty() => record.delete = Some(number),
            _ => record.transitions.push(Transition { operation: number, part }),
        }
    }
    records
}

/// The number of an operation's record, and the segments behind that record's path or parameter: the longest record
/// above the path; for a read else the record to which its first parameter refers (R7).
fn place<'a>(site: &Site, records: &[Record], operation: &'a Operation) -> Option<(usize, Vec<&'a str>)> {
    let above = records
        .iter()
        .enumerate()
        .filter_map(|(number, record)| Some((number, rest(&operation.path, &site.operations.get(record.read)?.path)?)));
    if let Some(nearest) = above.min_by_key(|(_, below)| below.len()) {
        return Some(nearest);
    }
    let mut below = operation.path.split('/');
    below.find(|segment| operation.is_read() && segment.starts_with('{'))?;
    let collection = first_reference(site, operation)?;
    Some((records.iter().position(|record| Some(record.read) == collection.record)?, below.collect()))
}

fn first_reference<'a>(site: &'a Site, operation: &Operation) -> Option<&'a Collection> {
    site.refers_to(operation, &operation.path_parameters().next()?.name)
}

fn list_parts(below: &[&str]) -> Vec<Part> {
    let before = [None].into_iter().chain(below.iter().map(Some));
    let parameters = below.iter().zip(before).filter_map(|(segment, before)| {
        Some(Part { parameter: to_parameter(segment)?.to_owned(), member: before.map(|word| to_member(word)) })
    });
    parameters.collect()
}
