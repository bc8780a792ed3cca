//! Memberships: a user in a company, with the roles assigned to it.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::super::conditions::Conditions;
use super::super::routes::{self, array, object, text, uuid};
use super::super::{Call, Performed, time};
use super::search::{self, List, Record};
use crate::database::{Cell, Error, Row, Session};

pub fn schema() -> Json {
    object(json!({
        "id": uuid(), "tenantId": uuid(), "userId": uuid(),
        "email": { "type": "string", "description": "As the user's last token told it." },
        "status": { "enum": ["ACTIVE", "SUSPENDED"] },
        "roles": array(object(json!({ "id": uuid(), "code": text(), "name": text() }))),
        "createdAt": routes::time(), "updatedAt": routes::time(),
    }))
}

const LIST: List = List { conditions, after: "m.id > ?", statement, records };

pub async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    search::page(session, call, &LIST).await
}

pub async fn read(session: &mut Session, call: &Call<'_>) -> Performed {
    search::one(session, call, &LIST, "m.id = ?").await
}

fn conditions(call: &Call<'_>, tenant: Uuid) -> Conditions {
    let role = call.query("roleId").and_then(|id| Uuid::try_parse(id).ok());
    let mut wanted = Conditions::of("m.tenant_id", tenant);
    wanted.and_some("m.status = ?", call.query("status"), Cell::text);
    wanted.and_some(
        "exists (select 1 from stoa_membership_role a
           where a.tenant_id = m.tenant_id and a.membership_id = m.id and a.role_id = ?)",
        role,
        Cell::Id,
    );
    wanted
}

fn statement(wanted: &Conditions, limit: &str) -> String {
    format!(
        "select m.id, m.user_id, m.email, m.status, m.created_at, m.updated_at, r.id, r.code, r.name
         from (select m.*, u.email from stoa_membership m join stoa_user u on u.id = m.user_id
               where {} order by m.id limit {limit}) m
         left join stoa_membership_role a on a.tenant_id = m.tenant_id and a.membership_id = m.id
         left join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id
         order by m.id, r.code",
        wanted.sql(),
    )
}

/// One record of the rows of each membership: a row for each role.
fn records(call: &Call<'_>, rows: &[Row]) -> Result<Vec<Record>, Error> {
    let mut records: Vec<Record> = Vec::new();
    for row in rows {
        let id = row.id(0)?;
        if records.last().is_none_or(|last| last.id != id) {
            let email = row.text(2)?;
            let shown = json!({
                "id": id,
                "tenantId": call.request.tenant,
                "userId": row.id(1)?,
                "email": email,
                "status": row.text(3)?,
                "roles": [],
                "createdAt": time(row.instant(4)?),
                "updatedAt": time(row.instant(5)?),
            });
            records.push(Record { id, shown, searched: vec![email] });
        }
        let roles = records.last_mut().and_then(|membership| membership.shown["roles"].as_array_mut());
        if let (Some(role), Some(roles)) = (row.optional(6, Row::id)?, roles) {
            roles.push(json!({ "id": role, "code": row.text(7)?, "name": row.text(8)? }));
        }
    }
    Ok(records)
}
