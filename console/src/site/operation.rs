//! An operation as the contract describes it.

use http::Method;
use serde::Deserialize;
use serde_json::{Map, Value};

const COMPANY: &str = "/tenants/{tenantId}";

pub struct Operation {
    pub id: String,
    pub method: Method,
    /// Below `/v1/tenants/{tenantId}`, as `/catalog/products/{productId}`; of `createCompany`, below `/v1`.
    pub path: String,
    /// True if the path is below a company.
    pub of_company: bool,
    pub module: String,
    pub summary: String,
    pub description: String,
    pub access: Access,
    /// True if it takes an idempotency key.
    pub key: bool,
    pub if_match: bool,
    pub csv: bool,
    /// Those of the path in its sequence, then those of the query. The company is not among them.
    pub parameters: Vec<Parameter>,
    pub body: Option<Value>,
    pub response: Value,
    /// `x-stoa-item-codes`.
    pub sentences: Map<String, Value>,
}

#[derive(Deserialize)]
pub struct Parameter {
    pub name: String,
    #[serde(rename = "in")]
    pub place: Place,
    #[serde(default)]
    pub required: bool,
    #[serde(default)]
    pub schema: Value,
    #[serde(default)]
    pub description: String,
}

/// Headers are not parameters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    Path,
    Query,
}

/// Permissions that an operation requires (`x-stoa-access`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    All(Vec<String>),
    /// One of them; an empty list: every member.
    Any(Vec<String>),
}

impl Access {
    pub fn permits(&self, permissions: &[String]) -> bool {
        match self {
            Access::All(codes) => codes.iter().all(|code| permissions.contains(code)),
            Access::Any(codes) => codes.is_empty() || codes.iter().any(|code| permissions.contains(code)),
        }
    }
}

impl Operation {
    /// Reads an operation at `path` of the contract. None: it is not one for users.
    pub fn read(method: &str, path: &str, written: &Value, contract: &Value) -> Option<Operation> {
        let is_of_users = |scheme: &Value| scheme.get("UserBearer").is_some();
        written["security"].as_array()?.iter().any(is_of_users).then_some(())?;
        let below = path.strip_prefix(COMPANY).filter(|below| below.starts_with('/'));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let stated = written["parameters"].as_array().into_iter().flatten();
        let stated: Vec<&Value> = stated.filter_map(|parameter| find(parameter, contract)).collect();
        let takes = |name: &str| stated.iter().any(|one| one["in"] == "header" && one["name"] == name);
        let parameters = stated.iter().filter_map(|one| Parameter::deserialize(*one).ok());
        let mut parameters: Vec<Parameter> = parameters.filter(|one| one.name != "tenantId").collect();
        // Stable: those of the query keep their sequence behind those of the path.
        parameters.sort_by_key(|one| path.find(&format!("{{{}}}", one.name)).unwrap_or(usize::MAX));
        let success = written["responses"].as_object()?.iter().find(|(status, _)| status.starts_with('2'))?.1;
        let json = "/content/application~1json/schema";
        Some(Operation {
            id: text(&written["operationId"]),
            method: Method::from_bytes(method.to_ascii_uppercase().as_bytes()).ok()?,
            path: below.unwrap_or(path).to_owned(),
            of_company: below.is_some(),
            module: text(&written["tags"][0]),
            summary: text(&written["summary"]),
            description: text(&written["description"]),
            access: Access::deserialize(&written["x-stoa-access"]).unwrap_or(Access::Any(Vec::new())),
            key: takes("Idempotency-Key"),
            if_match: takes("If-Match"),
            csv: success.pointer("/content/text~1csv").is_some(),
            parameters,
            body: written["requestBody"].pointer(json).cloned(),
            response: success.pointer(json).cloned().unwrap_or_default(),
            sentences: written["x-stoa-item-codes"].as_object().cloned().unwrap_or_default(),
        })
    }

    pub fn is_read(&self) -> bool {
        self.method == Method::GET
    }

    /// The parameters of the path, in its sequence.
    pub fn path_parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| parameter.place == Place::Path)
    }

    /// The parameters that an address states which is one of this operation or above it. None: it is another's.
    pub fn read_path(&self, path: &str) -> Option<Vec<(String, String)>> {
        let mut stated = self.path.split('/');
        let mut values = Vec::new();
        for segment in path.split('/') {
            let own = stated.next()?;
            match to_parameter(own) {
                Some(name) if !segment.is_empty() => values.push((name.to_owned(), segment.to_owned())),
                None if own == segment => {}
                _ => return None,
            }
        }
        Some(values)
    }
}

/// The name of the parameter that a segment of a path is.
pub fn to_parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// A parameter itself, or the one of `components` that it names.
fn find<'a>(parameter: &'a Value, contract: &'a Value) -> Option<&'a Value> {
    match parameter.get("$ref").and_then(Value::as_str) {
        Some(reference) => contract.pointer(reference.strip_prefix('#')?),
        None => Some(parameter),
    }
}
