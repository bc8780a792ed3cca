//! A valid request for any operation: ids of fitting records in the path, a body made from its schema.

use std::cell::{OnceCell, RefCell};

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::contract::{Audience, Contract, Operation};
use stoa_tests::{Answer, Company, Machine, Stoa};
use uuid::Uuid;

use super::fields::{Field, Form, Place, fields};
use super::kinds::{self, GoodId, kind_of};
use super::records::Records;

/// The company's owner, and an API client of it that may do everything.
pub struct Caller {
    pub company: Company,
    machine: OnceCell<Machine>,
}

/// The ids that a request names.
struct Ids<'a> {
    of_field: &'a dyn Fn(&Field) -> Option<String>,
    of_kind: GoodId<'a>,
}

/// A company for only one operation; one with an open history, where the operation moves its clock.
pub fn company_for(host: &Stoa, operation: &Operation) -> Company {
    match &*operation.id {
        "advanceHistory" | "endHistory" => host.company_with(json!({ "historyFrom": "2000-01-01T00:00:00Z" })),
        _ => host.company_of("ada@example.test"),
    }
}

impl Caller {
    pub fn new(company: &Company) -> Caller {
        Caller { company: company.clone(), machine: OnceCell::new() }
    }

    fn machine(&self, contract: &Contract) -> &Machine {
        self.machine.get_or_init(|| {
            let machines = contract.operations.iter().filter(|operation| operation.audience() == Audience::Machine);
            let mut scopes: Vec<String> = machines.flat_map(|operation| operation.admitting().concat()).collect();
            scopes.sort();
            scopes.dedup();
            self.company.entitle();
            self.company.machine_of(json!({ "scopes": scopes, "requestsPerMinute": 6000 }))
        })
    }

    /// Sends a form with everything in order but for one field, which holds `id`; `None`: that too is in order.
    pub fn ask(&self, contract: &Contract, form: &Form, field: &Field, records: &Records, id: Option<&str>) -> Answer {
        records.needs_of(form);
        let good = |candidate: &Field| kind_of(form, candidate).map(|kind| records.id(kind));
        let held = |candidate: &Field| {
            if candidate.place == field.place { id.map(String::from).or(good(candidate)) } else { good(candidate) }
        };
        let ids = Ids { of_field: &held, of_kind: &|kind| records.id_of(kind) };
        self.send(contract, form, Some(field), &ids, own_record(contract, form, records), &[])
    }

    /// Sends a form with everything in order and, in addition to what it needs, these query parameters.
    pub fn ask_with(&self, contract: &Contract, form: &Form, records: &Records, query: &[(String, String)]) -> Answer {
        records.needs_of(form);
        let good = |field: &Field| kind_of(form, field).map(|kind| records.id(kind));
        let ids = Ids { of_field: &good, of_kind: &|kind| records.id_of(kind) };
        self.send(contract, form, None, &ids, own_record(contract, form, records), query)
    }

    /// Sends a form whose whole path names records of `records`; with the ids that it named.
    pub fn ask_path(&self, contract: &Contract, form: &Form, records: &Records) -> (Answer, Vec<String>) {
        let named = |field: &Field| kind_of(form, field).map(|kind| records.id(kind));
        self.named(contract, form, &Ids { of_field: &named, of_kind: &|kind| records.id_of(kind) })
    }

    /// Sends a form whose whole path names nothing that exists.
    pub fn ask_absent_path(&self, contract: &Contract, form: &Form) -> (Answer, Vec<String>) {
        let absent = || Uuid::now_v7().to_string();
        self.named(contract, form, &Ids { of_field: &|_| Some(absent()), of_kind: &|_| absent() })
    }

    fn named(&self, contract: &Contract, form: &Form, ids: &Ids) -> (Answer, Vec<String>) {
        let named = RefCell::new(Vec::new());
        let noted = |id: String| {
            named.borrow_mut().push(id.clone());
            id
        };
        let of_field = |field: &Field| (ids.of_field)(field).map(noted);
        let ids = Ids { of_field: &of_field, of_kind: &|kind| noted((ids.of_kind)(kind)) };
        let answer = self.send(contract, form, None, &ids, None, &[]);
        (answer, named.into_inner())
    }

    fn send(
        &self,
        contract: &Contract,
        form: &Form,
        field: Option<&Field>,
        ids: &Ids,
        record: Option<Json>,
        extra: &[(String, String)],
    ) -> Answer {
        let mut path = form.operation.path.clone();
        for (name, word) in &form.settled {
            path = path.replace(&format!("{{{name}}}"), word);
        }
        let mut query = Vec::new();
        let wanted = |place: &Place| field.is_some_and(|field| field.place == *place);
        for form_field in fields(contract, form) {
            match &form_field.place {
                Place::Tenant => {
                    let tenant =
                        Some(&form_field).filter(|form_field| wanted(&form_field.place)).and_then(ids.of_field);
                    path = path.replace("{tenantId}", tenant.as_deref().unwrap_or(&self.company.tenant));
                }
                Place::Path(name) => {
                    let id = (ids.of_field)(&form_field).unwrap_or_else(|| panic!("{form}: nothing for {form_field}"));
                    path = path.replace(&format!("{{{name}}}"), &id);
                }
                Place::Query(name) if form_field.required || wanted(&form_field.place) => {
                    query.push((name.clone(), (ids.of_field)(&form_field).unwrap_or_default()));
                }
                Place::Query(_) | Place::Body(_) => {}
            }
        }
        let ready =
            |reported: Result<Vec<(String, String)>, String>| reported.unwrap_or_else(|why| panic!("{form}: {why}"));
        for (name, value) in ready(plain_parameters(contract, form, "path")) {
            path = path.replace(&format!("{{{name}}}"), &value);
        }
        query.extend(ready(plain_parameters(contract, form, "query")));
        query.extend_from_slice(extra);
        let token = match form.operation.audience() {
            Audience::Machine => &self.machine(contract).key,
            _ => &self.company.token,
        };
        let mut request = self.company.host.request(&form.operation.method, &path).token(token);
        for (name, value) in &query {
            request = request.query(&[(name, value)]);
        }
        let version = || self.version_at(contract, form, &path, token);
        match body(contract, form, field, ids, record, &version) {
            Ok(Some(body)) => request.json(&body).send(),
            Ok(None) => request.send(),
            Err(why) => panic!("{form}: {why}"),
        }
    }

    /// The present version of what a write changes: of the record at its path, or of the nearest one above.
    fn version_at(&self, contract: &Contract, form: &Form, path: &str, token: &str) -> Option<Json> {
        let (mut template, mut path) = (form.operation.path.as_str(), path);
        loop {
            if contract.operations.iter().any(|other| other.method == "GET" && other.path == template) {
                let version = self.company.host.request("GET", path).token(token).send()["version"].clone();
                if version.is_i64() {
                    return Some(version);
                }
            }
            (template, path) = (template.rsplit_once('/')?.0, path.rsplit_once('/')?.0);
        }
    }
}

/// Parameters that a form needs and that hold no id, each with a value that its schema takes.
fn plain_parameters(contract: &Contract, form: &Form, place: &str) -> Result<Vec<(String, String)>, String> {
    examples(contract, form, place, true)
}

/// Parameters of its query that a form can do without and that hold no id, each with a value that its schema takes.
pub fn filters(contract: &Contract, form: &Form) -> Result<Vec<(String, String)>, String> {
    examples(contract, form, "query", false)
}

fn examples(contract: &Contract, form: &Form, place: &str, required: bool) -> Result<Vec<(String, String)>, String> {
    let needed = contract.parameters(&form.operation).filter(|parameter| {
        let name = parameter["name"].as_str().unwrap_or_default();
        let is_id = contract.resolve(&parameter["schema"])["format"] == "uuid";
        let settled = form.settled.iter().any(|(known, _)| known == name);
        parameter["in"] == place && (parameter["required"] == true) == required && !is_id && !settled
    });
    let sample = Sample { contract, wanted: "-", id_at: &|place| Err(format!("an id at {place}")), record: Json::Null };
    needed
        .map(|parameter| {
            let name = parameter["name"].as_str().unwrap_or_default();
            let value = sample.build(&parameter["schema"], &format!("/{name}"))?;
            Ok((name.to_string(), value.as_str().map_or(value.to_string(), String::from)))
        })
        .collect()
}

/// Why no request can be made of a form, if none can.
pub fn faults(contract: &Contract, form: &Form) -> Vec<String> {
    let nil = || Uuid::nil().to_string();
    let ids = Ids { of_field: &|_| Some(nil()), of_kind: &|_| nil() };
    let of_places = ["path", "query"].map(|place| plain_parameters(contract, form, place).err());
    of_places.into_iter().flatten().chain(body(contract, form, None, &ids, None, &|| None).err()).collect()
}

/// The record that a replacement replaces: what a form with PUT says must fit it.
fn own_record(contract: &Contract, form: &Form, records: &Records) -> Option<Json> {
    if form.operation.method != "PUT" {
        return None;
    }
    let last = fields(contract, form).into_iter().rfind(|field| matches!(field.place, Place::Path(_)))?;
    Some(records.record(kind_of(form, &last)?))
}

/// A body in which nothing is wrong: what the schema requires, and `field` at its place in the body. Members of `record` go
/// before invented ones, and `version` is what it is expected to be. `Err` holds why there is none.
fn body(
    contract: &Contract,
    form: &Form,
    field: Option<&Field>,
    ids: &Ids,
    record: Option<Json>,
    version: &dyn Fn() -> Option<Json>,
) -> Result<Option<Json>, String> {
    let Some(schema) = &form.body else { return Ok(None) };
    let wanted = match field.map(|field| &field.place) {
        Some(Place::Body(pointer)) => pointer.as_str(),
        _ => "-",
    };
    let known = fields(contract, form);
    let id_at = |pointer: &str| {
        let found = known.iter().find(|field| field.place == Place::Body(pointer.into()));
        found.and_then(ids.of_field).ok_or_else(|| format!("no record for {pointer}"))
    };
    let sample = Sample { contract, wanted, id_at: &id_at, record: record.unwrap_or_default() };
    let mut body = sample.build(schema, "")?;
    if let Some(expected) = body.get_mut("expectedVersion") {
        *expected = version().unwrap_or(expected.take());
    }
    kinds::amend(form, &mut body, ids.of_kind);
    Ok(Some(body))
}

struct Sample<'a> {
    contract: &'a Contract,
    wanted: &'a str,
    id_at: &'a dyn Fn(&str) -> Result<String, String>,
    record: Json,
}

impl Sample<'_> {
    fn build(&self, schema: &Json, pointer: &str) -> Result<Json, String> {
        let schema = self.contract.resolve(schema);
        let leads = |one: &&Json| self.leads(one, pointer);
        let first = |list: &Json| {
            let all: Vec<&Json> = list.as_array()?.iter().filter(|one| !one.is_null()).collect();
            all.iter().copied().find(leads).or(all.first().copied()).cloned()
        };
        if !schema["const"].is_null() {
            return Ok(schema["const"].clone());
        }
        if let Some(word) = first(&schema["enum"]) {
            return Ok(self.usual(schema, pointer).unwrap_or(word));
        }
        if schema["format"] == "uuid" {
            return (self.id_at)(pointer).map(Json::from);
        }
        if let Some(one) = first(&schema["oneOf"]).or(first(&schema["anyOf"])).filter(|_| schema["type"].is_null()) {
            return self.build(&one, pointer);
        }
        let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
        match kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null") {
            Some("object") => self.object(schema, pointer),
            Some("array") => {
                let needed = schema["minItems"].as_u64().unwrap_or(0);
                let some = needed.max(self.holds(&format!("{pointer}/0")).into());
                let items = (0..some).map(|_| self.build(&schema["items"], &format!("{pointer}/0")));
                items.collect::<Result<Vec<Json>, String>>().map(Json::Array)
            }
            Some("string") => self.text(schema, pointer),
            Some("integer" | "number") => Ok(schema["minimum"].as_i64().unwrap_or(1).max(1).into()),
            Some("boolean") => Ok(false.into()),
            other => Err(format!("no example of {other:?} at {pointer:?}")),
        }
    }

    fn object(&self, schema: &Json, pointer: &str) -> Result<Json, String> {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let mut object = json!({});
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("{pointer}/{name}");
            // A receipt has the ids of lines, which are not lines.
            let known =
                self.record.pointer(&place).filter(|value| !value.is_null() && self.contract.takes(member, value));
            if self.holds(&place) {
                object[name] = self.build(member, &place)?;
            } else if let Some(known) = known {
                object[name] = known.clone();
            } else if required.contains(&name.as_str()) {
                object[name] = self.build(member, &place)?;
            }
        }
        Ok(object)
    }

    /// Returns whether a branch of a union has the member that the wanted field is or is below, and takes a value there.
    fn leads(&self, branch: &Json, pointer: &str) -> bool {
        let below = self.wanted.strip_prefix(pointer).and_then(|below| below.strip_prefix('/'));
        let member = below.and_then(|below| below.split('/').next());
        let branch = self.contract.resolve(branch);
        member.and_then(|member| branch["properties"].get(member)).is_some_and(|schema| schema["type"] != "null")
    }

    /// Returns whether the wanted field is there or below.
    fn holds(&self, place: &str) -> bool {
        self.wanted == place || self.wanted.starts_with(&format!("{place}/"))
    }

    /// The value that members of this name have in the suite.
    fn usual(&self, schema: &Json, pointer: &str) -> Option<Json> {
        let name = pointer.rsplit('/').find(|part| *part != "0").unwrap_or_default();
        kinds::value(name).map(Json::from).filter(|value| self.contract.takes(schema, value))
    }

    /// The first of some examples that the schema takes.
    fn text(&self, schema: &Json, pointer: &str) -> Result<Json, String> {
        if let Some(value) = self.usual(schema, pointer) {
            return Ok(value);
        }
        let word = fresh("TRIED");
        let examples = [
            word.clone(),
            word.to_lowercase(),
            "1".into(),
            "1.50".into(),
            format!("https://example.test/{word}"),
            "2030-01-01T00:00:00Z".into(),
            "2030-01-01".into(),
            "UTC".into(),
            "someone@example.test".into(),
            // Several ids with commas between.
            format!("{},{}", Uuid::now_v7(), Uuid::now_v7()),
        ];
        let fits = examples.into_iter().map(Json::from).find(|example| self.contract.takes(schema, example));
        fits.ok_or_else(|| format!("no example of the text at {pointer:?}"))
    }
}
