//! Roles: named sets of permissions. OWNER, the company's own, holds every permission there is.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::super::conditions::Conditions;
use super::super::routes::{self, array, object, text, uuid};
use super::super::{Call, Performed, time};
use super::search::{self, List, Record};
use crate::database::{Cell, Error, Row, Session};

pub fn schema() -> Json {
    object(json!({
        "id": uuid(), "tenantId": uuid(), "code": text(), "name": text(), "status": { "enum": ["ACTIVE", "DISABLED"] },
        "permissions": array(text()),
        "system": { "type": "boolean", "description": "Made with the company: it holds every permission and never changes." },
        "createdAt": routes::time(), "updatedAt": routes::time(),
    }))
}

const LIST: List = List { conditions, after: "id > ?", statement, records };

pub async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    search::page(session, call, &LIST).await
}

pub async fn read(session: &mut Session, call: &Call<'_>) -> Performed {
    search::one(session, call, &LIST, "id = ?").await
}

fn conditions(call: &Call<'_>, tenant: Uuid) -> Conditions {
    let mut wanted = Conditions::of("tenant_id", tenant);
    wanted.and_some("status = ?", call.query("status"), Cell::text);
    wanted
}

fn statement(wanted: &Conditions, limit: &str) -> String {
    format!(
        "select r.id, r.code, r.name, r.status, r.system, r.created_at, r.updated_at, p.permission
         from (select * from stoa_role where {} order by id limit {limit}) r
         left join stoa_role_permission p on p.tenant_id = r.tenant_id and p.role_id = r.id
         order by r.id, p.permission",
        wanted.sql(),
    )
}

/// One record of the rows of each role: a row for each permission.
fn records(call: &Call<'_>, rows: &[Row]) -> Result<Vec<Record>, Error> {
    let all = &call.request.generation.permissions;
    let mut records: Vec<Record> = Vec::new();
    for row in rows {
        let id = row.id(0)?;
        if records.last().is_none_or(|last| last.id != id) {
            let (code, name, system) = (row.text(1)?, row.text(2)?, row.boolean(4)?);
            let permissions: Vec<&String> = if system { all.keys().collect() } else { Vec::new() };
            let shown = json!({
                "id": id,
                "tenantId": call.request.tenant,
                "code": code,
                "name": name,
                "status": row.text(3)?,
                "permissions": permissions,
                "system": system,
                "createdAt": time(row.instant(5)?),
                "updatedAt": time(row.instant(6)?),
            });
            records.push(Record { id, shown, searched: vec![code, name] });
        }
        let permissions = records.last_mut().and_then(|role| role.shown["permissions"].as_array_mut());
        if let (Some(permission), Some(permissions)) = (row.optional(7, Row::text)?, permissions) {
            permissions.push(permission.into());
        }
    }
    Ok(records)
}
