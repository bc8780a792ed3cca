//! References to records: a select, a search, and the fragment with the results of a search.

use std::collections::{BTreeSet, HashMap};

use axum::response::Response;
use futures_util::future::join_all;
use maud::{Markup, html};
use serde_json::Value;

use super::{Values, draw, field::Field};
use crate::call::Problem;
use crate::page::{self, Visit};
use crate::pairs::Pairs;
use crate::site::collection::Collection;
use crate::site::operation::{Operation, Place};

/// Collections whose records a form lists, at most: one call each.
const MOST_LISTS: usize = 5;
/// Ids of one call, at most.
const MOST_IDS: usize = 100;
/// Parameters of a list that search it, the first one first.
const SEARCHES: [&str; 5] = ["text", "sku", "code", "number", "identity"];

/// Titles of records by their ids.
#[derive(Debug, Default)]
pub struct Names(HashMap<String, String>);

impl Names {
    /// The title, or the first digits of the id.
    pub fn text<'a>(&'a self, id: &'a str) -> &'a str {
        self.0.get(id).map_or_else(|| id.get(..8).unwrap_or(id), String::as_str)
    }

    /// The title as a link to the record.
    pub fn link(&self, visit: &Visit, collection: &Collection, id: &str) -> Markup {
        match visit.site.record_path(collection, &[], id) {
            Some(path) => html! { a href={ (visit.base) (path) } { (self.text(id)) } },
            None => html! { (self.text(id)) },
        }
    }
}

/// Titles of records, by one call for each collection: by their ids if the list takes ids, else those among its first records. A list
/// that the user may not read, that needs more than that or that is not loaded leaves its records without a title.
pub async fn names(visit: &Visit, wanted: &[(&Collection, Vec<String>)]) -> Names {
    let mut calls = Vec::new();
    for (collection, ids) in wanted.iter().filter(|(_, ids)| !ids.is_empty()) {
        let Some(list) = find_list(visit, collection).await else { continue };
        if find_required(list).next().is_none() {
            let mut query = vec![("limit", MOST_IDS.to_string())];
            if list.parameters.iter().any(|parameter| parameter.name == "ids") {
                let ids: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
                query.push(("ids", ids.into_iter().take(MOST_IDS).collect::<Vec<_>>().join(",")));
            }
            calls.push(read_records(visit, collection, &[], query));
        }
    }
    Names(join_all(calls).await.into_iter().flatten().flat_map(|offer| offer.records).collect())
}

/// Values that can be chosen, with their labels.
pub type Entries = Vec<(String, String)>;

/// Records of a collection: their ids and titles.
struct Offer {
    records: Entries,
    /// True if there are no more.
    is_whole: bool,
    /// The record itself, if it is the only one.
    only: Option<Value>,
}

/// The records that the references of a form offer.
#[derive(Default)]
pub struct Offers {
    lists: HashMap<(usize, String), Offer>,
    /// Lists that can be searched.
    searched: Vec<(usize, String)>,
    pub names: Names,
    /// Pointer of the field that was searched, with the records that were found.
    found: Option<(String, Offer)>,
}

impl Offers {
    /// Reads the lists to which the fields refer. `known`: parameters of the path. `record`: the record that the form changes.
    pub async fn load(
        visit: &Visit,
        operation: &Operation,
        known: &[(String, String)],
        fields: &[&Field<'_>],
        record: &Value,
        pairs: &Pairs,
    ) -> Result<Offers, Problem> {
        visit.context().await?;
        let values = &Values::new(pairs);
        let source = &Source { visit, operation, known, record, values };
        let (mut offers, mut collections, mut needed) = (Offers::default(), Vec::new(), Vec::new());
        fields.iter().for_each(|field| collect(field, &mut collections));
        for (number, collection) in collections.iter().enumerate() {
            let Some(list) = find_list(visit, collection).await else { continue };
            if find_search(list).is_some() {
                offers.searched.push(key(collection));
            }
            if number < MOST_LISTS {
                needed.extend(find_required(list).filter_map(|name| visit.site.refers_to(list, name)));
            }
        }
        collections.truncate(MOST_LISTS);
        needed.into_iter().for_each(|collection| add(&mut collections, collection));
        // A list that needs the record of another list follows it.
        for _ in 0..2 {
            let mut calls = Vec::new();
            for collection in collections.iter().filter(|collection| !offers.has(collection)) {
                calls.push(source.read(&offers, collection, vec![("limit", "50".to_owned())]));
            }
            let read = join_all(calls).await;
            offers.lists.extend(read.into_iter().flatten());
        }
        if let Some(pointer) = values.text("do").strip_prefix("find:")
            && let Some(collection) =
                fields.iter().find_map(|field| find_field(field, pointer)).and_then(Field::collection)
        {
            let found = source.search(&offers, collection, values.text(&format!("s{pointer}"))).await;
            offers.found = found.map(|found| (pointer.to_owned(), found));
        }
        let mut chosen = Vec::new();
        fields.iter().for_each(|field| offers.collect_chosen(field, "", values, &mut chosen));
        offers.names = names(visit, &chosen).await;
        Ok(offers)
    }

    /// Adds the titles of all records that are offered.
    pub fn add_to(&self, names: &mut Names) {
        names.0.extend(self.lists.values().flat_map(|offer| offer.records.iter().cloned()));
    }

    pub fn has(&self, collection: &Collection) -> bool {
        self.lists.contains_key(&key(collection))
    }

    /// All records of a collection. None: there are more than were read.
    pub fn find_all(&self, collection: &Collection) -> Option<&Entries> {
        self.lists.get(&key(collection)).filter(|offer| offer.is_whole).map(|offer| &offer.records)
    }

    /// The records that a search at this pointer found. None: the list cannot be searched.
    pub fn find_searched(&self, collection: &Collection, pointer: &str) -> Option<Entries> {
        let found = self.found.as_ref().filter(|(place, _)| place == pointer).map(|(_, offer)| offer.records.clone());
        self.searched.contains(&key(collection)).then(|| found.unwrap_or_default())
    }

    /// A member of the only record of a collection.
    pub fn find_only(&self, collection: &Collection, member: &str) -> Option<&str> {
        self.lists.get(&key(collection))?.only.as_ref()?.get(member)?.as_str()
    }

    /// The ids that are chosen and that no list shows.
    fn collect_chosen<'a>(
        &self,
        field: &Field<'a>,
        pointer: &str,
        values: &Values<'_>,
        chosen: &mut Vec<(&'a Collection, Vec<String>)>,
    ) {
        if let Some(collection) = field.collection() {
            let shown = self.find_all(collection).map(Vec::as_slice).unwrap_or_default();
            let name = format!("v{pointer}");
            let ids = values.lines(&name).filter(|id| !shown.iter().any(|(known, _)| known == id));
            let ids = ids.map(str::to_owned);
            match chosen.iter_mut().find(|(known, _)| std::ptr::eq(*known, collection)) {
                Some((_, known)) => known.extend(ids),
                None => chosen.push((collection, ids.collect())),
            }
        }
        for (pointer, member) in field.members_at(pointer, values) {
            self.collect_chosen(member, &pointer, values, chosen);
        }
    }
}

/// The values by which lists are read.
struct Source<'a> {
    visit: &'a Visit,
    operation: &'a Operation,
    known: &'a [(String, String)],
    record: &'a Value,
    values: &'a Values<'a>,
}

impl Source<'_> {
    /// None: the user may not read the list, it needs a value that nothing states, or its call was rejected.
    async fn read(
        &self,
        offers: &Offers,
        collection: &Collection,
        mut query: Vec<(&str, String)>,
    ) -> Option<((usize, String), Offer)> {
        let list = find_list(self.visit, collection).await?;
        for name in find_required(list) {
            query.push((name, self.find_value(offers, list, name)?.to_owned()));
        }
        Some((key(collection), read_records(self.visit, collection, self.known, query).await?))
    }

    /// The value of a parameter: as the form or the record states it, else the record above, else the only one that there is.
    fn find_value<'s>(&'s self, offers: &'s Offers, list: &Operation, name: &str) -> Option<&'s str> {
        let stated = Some(self.values.text(&format!("v/{name}"))).filter(|text| !text.is_empty());
        if let Some(stated) = stated.or_else(|| self.record.get(name)?.as_str()) {
            return Some(stated);
        }
        let (site, path) = (&self.visit.site, self.operation.path.as_str());
        let needed = site.refers_to(list, name)?;
        let above = site.operations.get(needed.list).and_then(|list| path.strip_prefix(list.path.as_str()));
        let (above, _) = above.and_then(|below| below.strip_prefix("/{")?.split_once('}')).unwrap_or_default();
        let above = self.known.iter().find(|(known, _)| known == above).map(|(_, value)| value.as_str());
        above.or_else(|| offers.find_only(needed, "id"))
    }

    async fn search(&self, offers: &Offers, collection: &Collection, text: &str) -> Option<Offer> {
        let parameter = find_search(self.visit.site.operations.get(collection.list)?)?;
        let mut query = vec![(parameter, text.to_owned()), ("limit", "10".to_owned())];
        query.retain(|(_, text)| !text.is_empty());
        Some(self.read(offers, collection, query).await?.1)
    }
}

/// None: the call was rejected, or not sent because the page has made all of its calls.
async fn read_records(
    visit: &Visit,
    collection: &Collection,
    known: &[(String, String)],
    query: Vec<(&str, String)>,
) -> Option<Offer> {
    let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let reply = visit.calls.get(&visit.site.list_path(collection, known)?, &query).await.ok()?;
    let items = reply.body.get("items").and_then(Value::as_array)?;
    let records = items
        .iter()
        .filter_map(|item| Some((item.get("id")?.as_str()?.to_owned(), visit.site.title_of(collection, item))));
    let is_whole = reply.body.get("nextCursor").is_none_or(Value::is_null);
    let only = items.first().filter(|_| is_whole && items.len() == 1).cloned();
    Some(Offer { records: records.collect(), is_whole, only })
}

fn key(collection: &Collection) -> (usize, String) {
    (collection.list, collection.bound.first().map(|(_, value)| value.clone()).unwrap_or_default())
}

/// The list of a collection, if the user may read it.
async fn find_list<'a>(visit: &'a Visit, collection: &Collection) -> Option<&'a Operation> {
    let permissions = &visit.context().await.ok()?.permissions;
    visit.site.operations.get(collection.list).filter(|list| list.access.permits(permissions))
}

/// Parameters of a list's query that it requires.
pub fn find_required(list: &Operation) -> impl Iterator<Item = &str> {
    let required = list.parameters.iter().filter(|parameter| parameter.place == Place::Query && parameter.required);
    required.map(|parameter| parameter.name.as_str())
}

fn find_search(list: &Operation) -> Option<&'static str> {
    SEARCHES.into_iter().find(|name| list.parameters.iter().any(|parameter| parameter.name == *name))
}

/// The collections to which a field and those in it refer, each once.
fn collect<'a>(field: &Field<'a>, collections: &mut Vec<&'a Collection>) {
    field.collection().into_iter().for_each(|collection| add(collections, collection));
    field.members().into_iter().for_each(|member| collect(member, collections));
}

fn add<'a>(collections: &mut Vec<&'a Collection>, collection: &'a Collection) {
    if !collections.iter().any(|known| std::ptr::eq(*known, collection)) {
        collections.push(collection);
    }
}

/// The field at a pointer of the form; that of a row is the item of its list.
pub fn find_field<'f, 'a>(field: &'f Field<'a>, pointer: &str) -> Option<&'f Field<'a>> {
    let Some(below) = pointer.strip_prefix('/') else { return Some(field) };
    let (name, _) = below.split_once('/').unwrap_or((below, ""));
    let rest = below.get(name.len()..)?;
    let is_row = matches!(field.kind, super::field::Kind::Rows(..));
    field
        .members()
        .into_iter()
        .filter(|member| is_row || member.name == name)
        .find_map(|member| find_field(member, rest))
}

/// `/-/find/LIST`: the records that a search finds, as the controls of the field `name` of the form `form` at the page `at`.
pub async fn respond(visit: &Visit, list: &str) -> Result<Response, Problem> {
    let text = |name: &str| visit.query.get(name).unwrap_or_default();
    let form = visit.site.form_at(text("form"), text("at"));
    let collection = visit.site.collection_of(list, visit.query.get("bound").filter(|bound| !bound.is_empty()));
    visit.context().await?;
    let mut records = Vec::new();
    if let (Some((operation, known)), Some(collection)) = (form, collection) {
        let values = &Values::new(&visit.query);
        let source = Source { visit, operation, known: &known, record: &Value::Null, values };
        let found = source.search(&Offers::default(), collection, text("text")).await;
        records.extend(found.into_iter().flat_map(|offer| offer.records));
    }
    let fragment = draw::draw_options(text("name"), &records, text("many") == "1", &[], true);
    let mut response = Response::new(fragment.into_string().into());
    page::set_headers(&mut response);
    Ok(response)
}
