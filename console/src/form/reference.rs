//! References to records: a select, a search, and the fragment with the results of a search.

use std::collections::HashMap;

use axum::response::Response;
use futures_util::future::join_all;
use maud::{Markup, html};
use serde_json::Value;

use super::Values;
use super::draw;
use super::field::{Field, Kind};
use super::read::join;
use crate::call::Problem;
use crate::page::{self, Visit};
use crate::pairs::Pairs;
use crate::site::Site;
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
    pub fn title(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }

    /// The title, or the first digits of the id.
    pub fn text<'a>(&'a self, id: &'a str) -> &'a str {
        self.title(id).unwrap_or_else(|| id.get(..8).unwrap_or(id))
    }

    /// The title as a link to the record.
    pub fn link(&self, visit: &Visit, collection: &Collection, id: &str) -> Markup {
        let path = visit.site.record_path(collection, &[], id);
        html! {
            @match path {
                Some(path) => { a href=(format!("{}{path}", visit.base)) { (self.text(id)) } }
                None => { (self.text(id)) }
            }
        }
    }
}

/// Titles of records, by one call for each collection: by their ids if the list takes ids, else those among its first records. A list
/// that the user may not read, that needs more than that or that is not loaded leaves its records without a title.
pub async fn names(visit: &Visit, wanted: &[(&Collection, Vec<String>)]) -> Names {
    let Ok(context) = visit.context().await else { return Names::default() };
    let mut requests = Vec::new();
    for (collection, ids) in wanted.iter().filter(|(_, ids)| !ids.is_empty()) {
        let Some(list) = visit.site.operations.get(collection.list) else { continue };
        let Some(path) = visit.site.list_path(collection, &[]) else { continue };
        if find_required(list).next().is_none() && list.access.permits(&context.permissions) {
            let mut query = vec![("limit".to_owned(), MOST_IDS.to_string())];
            if list.parameters.iter().any(|parameter| parameter.name == "ids") {
                let mut ids = ids.clone();
                ids.sort_unstable();
                ids.dedup();
                ids.truncate(MOST_IDS);
                query.push(("ids".to_owned(), ids.join(",")));
            }
            requests.push(fetch(visit, collection, path, query));
        }
    }
    Names(join_all(requests).await.into_iter().flatten().flat_map(|offer| offer.records).collect())
}

/// Records of a collection: their ids and titles.
pub struct Offer {
    pub records: Vec<(String, String)>,
    /// True if there are no more.
    pub is_whole: bool,
    /// The record itself, if it is the only one.
    only: Option<Value>,
}

/// The records that the references of a form offer.
#[derive(Default)]
pub struct Offers {
    lists: HashMap<(usize, String), Offer>,
    /// Lists that the user may not read.
    closed: Vec<(usize, String)>,
    names: Names,
    /// Pointer of the field that was searched, with the records that were found.
    found: Option<(String, Offer)>,
}

/// A field's choice of records.
pub enum Choice<'a> {
    Select(&'a [(String, String)]),
    /// With the records that were found, if this field was searched.
    Search(&'a [(String, String)]),
    /// The id is typed.
    Id,
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
        let source = Source { visit, permissions: &visit.context().await?.permissions, operation, known, record };
        let values = Values::new(pairs);
        let mut collections = Vec::new();
        fields.iter().for_each(|field| collect(field, &mut collections));
        let closed = collections.iter().filter(|collection| !source.permits(collection)).map(|one| key(one)).collect();
        let mut offers = Offers { closed, ..Offers::default() };
        collections.truncate(MOST_LISTS);
        source.add_required(&mut collections);
        // A list that needs the record of another list follows it.
        for _ in 0..2 {
            let open = collections.iter().filter(|collection| !offers.lists.contains_key(&key(collection)));
            let requests = open.filter_map(|collection| {
                let (path, query) = source.find_list(&offers, &values, collection)?;
                Some(fetch_listed(visit, collection, path, query))
            });
            let calls: Vec<_> = requests.collect();
            offers.lists.extend(join_all(calls).await.into_iter().flatten());
        }
        if let Some(pointer) = values.text("do").strip_prefix("find:")
            && let Some(collection) = fields.iter().find_map(|field| find_collection(field, pointer))
        {
            let found = source.search(&offers, &values, collection, values.text(&format!("s{pointer}"))).await;
            offers.found = found.map(|found| (pointer.to_owned(), found));
        }
        let mut chosen: Vec<(&Collection, Vec<String>)> = Vec::new();
        fields.iter().for_each(|field| offers.collect_chosen(field, "", &values, &mut chosen));
        offers.names = names(visit, &chosen).await;
        Ok(offers)
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Adds the titles of all records that are offered.
    pub fn add_to(&self, names: &mut Names) {
        let offered = self.lists.values().flat_map(|offer| &offer.records);
        names.0.extend(offered.map(|(id, title)| (id.clone(), title.clone())));
    }

    pub fn has(&self, collection: &Collection) -> bool {
        self.lists.contains_key(&key(collection))
    }

    /// How a field at this pointer offers the records of a collection.
    pub fn choice(&self, site: &Site, collection: &Collection, pointer: &str) -> Choice<'_> {
        if let Some(offer) = self.lists.get(&key(collection)).filter(|offer| offer.is_whole) {
            return Choice::Select(&offer.records);
        }
        let list = site.operations.get(collection.list).filter(|_| !self.closed.contains(&key(collection)));
        if list.and_then(find_search).is_none() {
            return Choice::Id;
        }
        let found = self.found.as_ref().filter(|(place, _)| place == pointer);
        Choice::Search(found.map(|(_, offer)| offer.records.as_slice()).unwrap_or_default())
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
        match &field.kind {
            Kind::Reference(collection) | Kind::References(collection) => {
                let shown = self.lists.get(&key(collection)).filter(|offer| offer.is_whole);
                let is_shown = |id: &str| shown.is_some_and(|offer| offer.records.iter().any(|(known, _)| known == id));
                let ids = values.all(&format!("v{pointer}")).iter().flat_map(|text| text.lines()).map(str::trim);
                let ids = ids.filter(|id| !id.is_empty() && !is_shown(id)).map(str::to_owned);
                match chosen.iter_mut().find(|(known, _)| key(known) == key(collection)) {
                    Some((_, known)) => known.extend(ids),
                    None => chosen.push((*collection, ids.collect())),
                }
            }
            Kind::Rows { item, .. } => {
                for row in 0..values.count(pointer) {
                    self.collect_chosen(item, &format!("{pointer}/{row}"), values, chosen);
                }
            }
            _ => {
                for member in field.members() {
                    self.collect_chosen(member, &join(pointer, member.name), values, chosen);
                }
            }
        }
    }
}

/// What the lists of a form are read with.
struct Source<'a> {
    visit: &'a Visit,
    permissions: &'a [String],
    operation: &'a Operation,
    known: &'a [(String, String)],
    record: &'a Value,
}

impl<'a> Source<'a> {
    fn permits(&self, collection: &Collection) -> bool {
        let list = self.visit.site.operations.get(collection.list);
        list.is_some_and(|list| list.access.permits(self.permissions))
    }

    /// Adds the collections of whose records a list needs one.
    fn add_required(&self, collections: &mut Vec<&'a Collection>) {
        let site: &'a Site = &self.visit.site;
        for number in 0..collections.len() {
            let Some(list) = collections.get(number).and_then(|collection| site.operations.get(collection.list)) else {
                continue;
            };
            for name in find_required(list) {
                if let Some(needed) = site.refers_to(list, name)
                    && !collections.iter().any(|known| key(known) == key(needed))
                {
                    collections.push(needed);
                }
            }
        }
    }

    /// Path and query of a collection's list. None: the user may not read it, or it needs a value that nothing states.
    fn find_list(
        &self,
        offers: &Offers,
        values: &Values<'_>,
        collection: &Collection,
    ) -> Option<(String, Vec<(String, String)>)> {
        let site = &self.visit.site;
        let list = site.operations.get(collection.list).filter(|_| self.permits(collection))?;
        let path = site.list_path(collection, self.known)?;
        let mut query = Vec::new();
        for name in find_required(list) {
            let stated = [values.text(&format!("v/{name}")), values.text(name)];
            let stated = stated.into_iter().find(|text| !text.is_empty());
            let stated = stated.or_else(|| self.record.get(name).and_then(Value::as_str));
            let needed = site.refers_to(list, name);
            let above = || needed.and_then(|needed| self.find_above(needed));
            let only = || needed.and_then(|needed| offers.find_only(needed, "id"));
            query.push((name.to_owned(), stated.or_else(above).or_else(only)?.to_owned()));
        }
        Some((path, query))
    }

    /// The id in the address of a record of this collection.
    fn find_above(&self, collection: &Collection) -> Option<&str> {
        let list = self.visit.site.operations.get(collection.list)?;
        let (name, _) = self.operation.path.strip_prefix(list.path.as_str())?.strip_prefix("/{")?.split_once('}')?;
        self.known.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    async fn search(&self, offers: &Offers, values: &Values<'_>, collection: &Collection, text: &str) -> Option<Offer> {
        let parameter = find_search(self.visit.site.operations.get(collection.list)?)?;
        let (path, mut query) = self.find_list(offers, values, collection)?;
        if !text.is_empty() {
            query.push((parameter.to_owned(), text.to_owned()));
        }
        query.push(("limit".to_owned(), "10".to_owned()));
        fetch(self.visit, collection, path, query).await
    }
}

async fn fetch_listed(
    visit: &Visit,
    collection: &Collection,
    path: String,
    mut query: Vec<(String, String)>,
) -> Option<((usize, String), Offer)> {
    query.push(("limit".to_owned(), "50".to_owned()));
    Some((key(collection), fetch(visit, collection, path, query).await?))
}

/// None: the call was rejected, or not sent because the page has made all of its calls.
async fn fetch(visit: &Visit, collection: &Collection, path: String, query: Vec<(String, String)>) -> Option<Offer> {
    let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let reply = visit.calls.get(&path, &query).await.ok()?;
    let items = reply.body.get("items").and_then(Value::as_array)?;
    let records = items.iter().filter_map(|item| {
        let id = item.get("id")?.as_str()?;
        Some((id.to_owned(), visit.site.title_of(collection, item)))
    });
    let is_whole = reply.body.get("nextCursor").is_none_or(Value::is_null);
    let only = items.first().filter(|_| is_whole && items.len() == 1).cloned();
    Some(Offer { records: records.collect(), is_whole, only })
}

fn key(collection: &Collection) -> (usize, String) {
    (collection.list, collection.bound.first().map(|(_, value)| value.clone()).unwrap_or_default())
}

/// Parameters of a list's query that it requires.
pub fn find_required(list: &Operation) -> impl Iterator<Item = &str> {
    let required = list.parameters.iter().filter(|parameter| parameter.place == Place::Query && parameter.required);
    required.map(|parameter| parameter.name.as_str())
}

pub fn find_search(list: &Operation) -> Option<&'static str> {
    SEARCHES.into_iter().find(|name| list.parameters.iter().any(|parameter| parameter.name == *name))
}

/// The collections to which a field and those in it refer, each once.
fn collect<'a>(field: &Field<'a>, collections: &mut Vec<&'a Collection>) {
    if let Kind::Reference(collection) | Kind::References(collection) = &field.kind
        && !collections.iter().any(|known| key(known) == key(collection))
    {
        collections.push(*collection);
    }
    field.members().into_iter().for_each(|member| collect(member, collections));
}

fn find_collection<'a>(field: &Field<'a>, pointer: &str) -> Option<&'a Collection> {
    match &find_field(field, pointer)?.kind {
        Kind::Reference(collection) | Kind::References(collection) => Some(*collection),
        _ => None,
    }
}

/// The field at a pointer of the form; that of a row is the item of its list.
pub fn find_field<'f, 'a>(field: &'f Field<'a>, pointer: &str) -> Option<&'f Field<'a>> {
    let Some(below) = pointer.strip_prefix('/') else { return Some(field) };
    let (name, _) = below.split_once('/').unwrap_or((below, ""));
    let rest = below.get(name.len()..)?;
    match &field.kind {
        Kind::Rows { item, .. } => find_field(item, rest),
        _ => {
            let mut members = field.members().into_iter().filter(|member| join("", member.name).get(1..) == Some(name));
            members.find_map(|member| find_field(member, rest))
        }
    }
}

/// `/-/find/LIST`: the records that a search finds, as the controls of the field `name` of the form `form` at the page `at`.
pub async fn respond(visit: &Visit, list: &str) -> Result<Response, Problem> {
    let text = |name: &str| visit.query.get(name).unwrap_or_default();
    let site = &visit.site;
    let form = site.form_at(text("form"), text("at"));
    let collection = site.collection_of(list, visit.query.get("bound").filter(|bound| !bound.is_empty()));
    let mut found = None;
    if let (Some((operation, known)), Some(collection)) = (form, collection) {
        let permissions = &visit.context().await?.permissions;
        let source = Source { visit, permissions, operation, known: &known, record: &Value::Null };
        found = source.search(&Offers::default(), &Values::new(&visit.query), collection, text("text")).await;
    }
    let records = found.map(|offer| offer.records).unwrap_or_default();
    let fragment = draw::draw_results(&records, text("name"), text("many") == "1");
    let mut response = Response::new(fragment.into_string().into());
    page::set_headers(&mut response);
    Ok(response)
}
