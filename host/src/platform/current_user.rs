//! `GET /auth/me`: who the token says one is, and where one belongs.

use serde_json::json;

use super::{Read, time};
use crate::database::{Cell, Row, Session};
use crate::pipeline::Request;

pub async fn answer(session: &mut Session, request: &Request) -> Read {
    let user = &request.user;
    let rows = session
        .query(
            "select m.tenant_id, t.name, m.id, m.status, r.code
             from stoa_membership m
             join stoa_tenant t on t.id = m.tenant_id
             left join stoa_membership_role a on a.tenant_id = m.tenant_id and a.membership_id = m.id
             left join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id
             where m.user_id = $1
             order by m.tenant_id, r.code",
            &[Cell::Id(user.id)],
        )
        .await?;
    let mut memberships: Vec<serde_json::Value> = Vec::new();
    let mut last = None;
    for row in &rows {
        let tenant = row.id(0)?;
        if last != Some(tenant) {
            last = Some(tenant);
            memberships.push(json!({
                "tenantId": tenant,
                "tenantName": row.text(1)?,
                "membershipId": row.id(2)?,
                "status": row.text(3)?,
                "roles": [],
            }));
        }
        let roles = memberships.last_mut().and_then(|membership| membership["roles"].as_array_mut());
        if let (Some(code), Some(roles)) = (row.optional(4, Row::text)?, roles) {
            roles.push(code.into());
        }
    }
    Ok(json!({
        "id": user.id,
        "subject": user.subject,
        "email": user.email,
        "emailVerified": true,
        "displayName": user.display_name,
        "memberships": memberships,
        "createdAt": time(user.created_at),
        "updatedAt": time(user.updated_at),
    }))
}
