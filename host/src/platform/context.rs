//! `GET /tenants/{tenantId}/context`: the company, and what the caller may do in it.

use serde_json::{Value as Json, json};
use stoa_descriptor::Route;

use super::routes::{array, object, read, reference, text, uuid};
use super::{Call, Operation, Performed, shown};
use crate::database::{Cell, Session};
use crate::problem::Problem;

pub fn routes() -> Vec<(Route, Operation)> {
    let route = read(
        "/tenants/{tenantId}/context",
        "getTenantContext",
        "The company and the caller's membership, roles and permissions in it.",
        reference("TenantContext"),
    );
    vec![(route, Operation::TenantContext)]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    let status = json!({ "enum": ["ACTIVE", "SUSPENDED"] });
    let context = object(json!({
        "tenant": object(json!({ "id": uuid(), "name": text(), "status": status, "entitlements": array(text()) })),
        "membership": object(json!({
            "id": uuid(), "status": status,
            "roles": array(object(json!({ "id": uuid(), "code": text(), "name": text() }))),
        })),
        "permissions": array(text()),
    }));
    vec![("TenantContext", context)]
}

pub async fn answer(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let Some(member) = &call.opened.standing else { return Err(Problem::of("MEMBERSHIP_REQUIRED").into()) };
    let companies =
        session.query("select name, status, entitlements from stoa_tenant where id = $1", &[Cell::Id(tenant)]).await?;
    let company = companies.first().ok_or_else(|| Problem::of("MEMBERSHIP_REQUIRED"))?;
    let roles = session
        .query(
            "select r.id, r.code, r.name from stoa_membership_role a
             join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id
             where a.tenant_id = $1 and a.membership_id = $2 order by r.code",
            &[Cell::Id(tenant), Cell::Id(member.id)],
        )
        .await?;
    let roles = roles
        .iter()
        .map(|role| Ok(json!({ "id": role.id(0)?, "code": role.text(1)?, "name": role.text(2)? })))
        .collect::<Result<Vec<_>, crate::database::Error>>()?;
    let entitlements: serde_json::Value = serde_json::from_str(&company.text(2)?).unwrap_or_else(|_| json!([]));
    let permissions: Vec<&String> = if member.owner {
        call.request.generation.permissions.keys().collect()
    } else {
        member.permissions.iter().collect()
    };
    Ok(shown(json!({
        "tenant": {
            "id": tenant,
            "name": company.text(0)?,
            "status": company.text(1)?,
            "entitlements": entitlements,
        },
        "membership": { "id": member.id, "status": member.status, "roles": roles },
        "permissions": permissions,
    })))
}
