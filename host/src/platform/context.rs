//! `GET /tenants/{tenantId}/context`: the company, and what the caller may do in it.

use serde_json::json;

use super::Read;
use crate::database::{Cell, Session};
use crate::pipeline::Request;
use crate::pipeline::opening::Opened;
use crate::problem::Problem;

pub async fn answer(session: &mut Session, request: &Request, opened: &Opened) -> Read {
    let (Some(tenant), Some(member)) = (request.tenant, &opened.member) else {
        return Err(Problem::of("MEMBERSHIP_REQUIRED").into());
    };
    let companies =
        session.query("select name, status, entitlements from stoa_tenant where id = $1", &[Cell::Id(tenant)]).await?;
    let company = companies.first().ok_or_else(|| Problem::of("MEMBERSHIP_REQUIRED"))?;
    let roles = session
        .query(
            "select r.id, r.code, r.name from stoa_membership_role a
             join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id
             where a.tenant_id = $1 and a.membership_id = $2 order by r.code",
            &[Cell::Id(tenant), Cell::Id(member.membership)],
        )
        .await?;
    let roles = roles
        .iter()
        .map(|role| Ok(json!({ "id": role.id(0)?, "code": role.text(1)?, "name": role.text(2)? })))
        .collect::<Result<Vec<_>, crate::database::Error>>()?;
    let entitlements: serde_json::Value = serde_json::from_str(&company.text(2)?).unwrap_or_else(|_| json!([]));
    let permissions: Vec<&String> = if member.owner {
        request.generation.permissions.keys().collect()
    } else {
        member.permissions.iter().collect()
    };
    Ok(json!({
        "tenant": {
            "id": tenant,
            "name": company.text(0)?,
            "status": company.text(1)?,
            "entitlements": entitlements,
        },
        "membership": { "id": member.membership, "status": member.membership_status, "roles": roles },
        "permissions": permissions,
    }))
}
