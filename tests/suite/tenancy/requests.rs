//! A valid request for any operation: ids of fitting records in the path, a body made from its schema.

use std::cell::RefCell;

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::contract::{Audience, Contract};
use stoa_tests::{Answer, Company, Machine};
use uuid::Uuid;

use super::fields::{Field, Form, Place, fields};
use super::records::{Records, kind_of};

/// What members mean that a schema's pattern does not tell.
const VALUES: &[(&str, &str)] =
    &[("unitOfMeasure", "UNIT"), ("currencyCode", "EUR"), ("defaultCurrencyCode", "EUR"), ("timeZone", "UTC")];

/// The company's owner, and an API client of it that may do everything.
pub struct Caller {
    pub company: Company,
    machine: Machine,
}

impl Caller {
    pub fn of(company: &Company) -> Caller {
        let contract = company.host.contract();
        let machines = contract.operations.iter().filter(|operation| operation.audience() == Audience::Machine);
        let mut scopes: Vec<String> = machines.flat_map(|operation| operation.admitting().concat()).collect();
        scopes.sort();
        scopes.dedup();
        company.entitle();
        let machine = company.machine_of(json!({ "scopes": scopes, "requestsPerMinute": 6000 }));
        Caller { company: company.clone(), machine }
    }

    /// Sends a form with everything in order but for one field, which holds `id`; none: that too is in order.
    pub fn ask(&self, contract: &Contract, form: &Form, field: &Field, records: &Records, id: Option<&str>) -> Answer {
        records.needs_of(form);
        let good = |of: &Field| kind_of(form, of).map(|kind| records.id(kind));
        let held = |of: &Field| if of.place == field.place { id.map(String::from).or(good(of)) } else { good(of) };
        self.send(contract, form, Some(field), &held, own_record(contract, form, records))
    }

    /// Sends a form whose whole path names records of `records`; with the ids that it named.
    pub fn ask_path(&self, contract: &Contract, form: &Form, records: &Records) -> (Answer, Vec<String>) {
        self.named(contract, form, &|of| kind_of(form, of).map(|kind| records.id(kind)))
    }

    /// Sends a form whose whole path names nothing that exists.
    pub fn ask_absent_path(&self, contract: &Contract, form: &Form) -> (Answer, Vec<String>) {
        self.named(contract, form, &|_| Some(Uuid::now_v7().to_string()))
    }

    fn named(&self, contract: &Contract, form: &Form, id: &dyn Fn(&Field) -> Option<String>) -> (Answer, Vec<String>) {
        let named = RefCell::new(Vec::new());
        let held = |of: &Field| {
            let id = id(of)?;
            named.borrow_mut().push(id.clone());
            Some(id)
        };
        let answer = self.send(contract, form, None, &held, None);
        (answer, named.into_inner())
    }

    fn send(
        &self,
        contract: &Contract,
        form: &Form,
        field: Option<&Field>,
        held: &dyn Fn(&Field) -> Option<String>,
        record: Option<Json>,
    ) -> Answer {
        let mut path = form.operation.path.clone();
        for (name, word) in &form.settled {
            path = path.replace(&format!("{{{name}}}"), word);
        }
        let mut query = Vec::new();
        for of in fields(contract, form) {
            match &of.place {
                Place::Tenant => {
                    let tenant = field.filter(|field| field.place == Place::Tenant).and_then(|_| held(&of));
                    path = path.replace("{tenantId}", tenant.as_deref().unwrap_or(&self.company.tenant));
                }
                Place::Path(name) => {
                    let id = held(&of).unwrap_or_else(|| panic!("{form}: nothing for {of}"));
                    path = path.replace(&format!("{{{name}}}"), &id);
                }
                Place::Query(name) if field.is_some_and(|field| field.place == of.place) => {
                    query.push((name.clone(), held(&of).unwrap_or_default()));
                }
                Place::Query(_) | Place::Body(_) => {}
            }
        }
        let token = match form.operation.audience() {
            Audience::Machine => &self.machine.key,
            _ => &self.company.token,
        };
        let mut request = self.company.host.request(&form.operation.method, &path).token(token);
        for (name, value) in &query {
            request = request.query(&[(name, value)]);
        }
        match body(contract, form, field, held, record) {
            Ok(Some(body)) => request.json(&body).send(),
            Ok(None) => request.send(),
            Err(why) => panic!("{form}: {why}"),
        }
    }
}

/// The record that a replacement replaces: what a form with PUT says must fit it.
fn own_record(contract: &Contract, form: &Form, records: &Records) -> Option<Json> {
    if form.operation.method != "PUT" {
        return None;
    }
    let last = fields(contract, form).into_iter().rfind(|field| matches!(field.place, Place::Path(_)))?;
    Some(records.record(kind_of(form, &last)?))
}

/// A body in which nothing is wrong: what the schema requires, and `field` where it stands in the body. Members of `record` go
/// before invented ones. `Err` holds why there is none.
pub fn body(
    contract: &Contract,
    form: &Form,
    field: Option<&Field>,
    held: &dyn Fn(&Field) -> Option<String>,
    record: Option<Json>,
) -> Result<Option<Json>, String> {
    let Some(schema) = &form.body else { return Ok(None) };
    let wanted = match field.map(|field| &field.place) {
        Some(Place::Body(pointer)) => pointer.as_str(),
        _ => "-",
    };
    let known = fields(contract, form);
    let id_at = |pointer: &str| {
        let of = known.iter().find(|field| field.place == Place::Body(pointer.into()));
        of.and_then(held).ok_or_else(|| format!("no record for {pointer}"))
    };
    let sample = Sample { contract, wanted, id_at: &id_at, record: record.unwrap_or_default() };
    sample.of(schema, "").map(Some)
}

struct Sample<'a> {
    contract: &'a Contract,
    wanted: &'a str,
    id_at: &'a dyn Fn(&str) -> Result<String, String>,
    record: Json,
}

impl Sample<'_> {
    fn of(&self, schema: &Json, pointer: &str) -> Result<Json, String> {
        let schema = self.contract.resolve(schema);
        let first = |list: &Json| list.as_array().and_then(|all| all.iter().find(|one| !one.is_null()).cloned());
        if !schema["const"].is_null() {
            return Ok(schema["const"].clone());
        }
        if let Some(word) = first(&schema["enum"]) {
            return Ok(word);
        }
        if schema["format"] == "uuid" {
            return (self.id_at)(pointer).map(Json::from);
        }
        if let Some(one) = first(&schema["oneOf"]).or(first(&schema["anyOf"])).filter(|_| schema["type"].is_null()) {
            return self.of(&one, pointer);
        }
        let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
        match kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null") {
            Some("object") => self.object(schema, pointer),
            Some("array") => {
                let needed = schema["minItems"].as_u64().unwrap_or(0) > 0;
                let items = match needed || self.holds(&format!("{pointer}/0")) {
                    true => vec![self.of(&schema["items"], &format!("{pointer}/0"))?],
                    false => Vec::new(),
                };
                Ok(Json::Array(items))
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
            let known = self.record.pointer(&place).filter(|value| !value.is_null());
            if self.holds(&place) {
                object[name] = self.of(member, &place)?;
            } else if let Some(known) = known {
                object[name] = known.clone();
            } else if required.contains(&name.as_str()) {
                object[name] = self.of(member, &place)?;
            }
        }
        Ok(object)
    }

    /// Whether the wanted field is there or below.
    fn holds(&self, place: &str) -> bool {
        self.wanted == place || self.wanted.starts_with(&format!("{place}/"))
    }

    /// The first of some examples that the schema takes.
    fn text(&self, schema: &Json, pointer: &str) -> Result<Json, String> {
        let name = pointer.rsplit('/').find(|part| *part != "0").unwrap_or_default();
        if let Some((_, value)) = VALUES.iter().find(|(known, _)| *known == name) {
            return Ok((*value).into());
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
        ];
        let fits = examples.into_iter().map(Json::from).find(|example| self.contract.takes(schema, example));
        fits.ok_or_else(|| format!("no example of the text at {pointer:?}"))
    }
}
