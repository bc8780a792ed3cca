//! `GET /auth/me`: who the token says one is, and where one belongs.

use serde_json::{Value as Json, json};
use stoa_descriptor::Route;

use super::routes::{array, object, read, reference, text, uuid};
use super::{Call, Operation, Performed, routes, shown, time};
use crate::database::{Cell, Row, Session};

pub fn routes() -> Vec<(Route, Operation)> {
    let route = read("/auth/me", "getCurrentUser", "The caller's own user record.", reference("CurrentUser"));
    vec![(route, Operation::CurrentUser)]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    vec![
        (
            "CurrentUser",
            object(json!({
                "id": uuid(), "subject": text(), "email": text(), "emailVerified": { "type": "boolean" },
                "displayName": { "type": ["string", "null"] },
                "memberships": array(reference("UserMembership")),
                "createdAt": routes::time(), "updatedAt": routes::time(),
            })),
        ),
        (
            "UserMembership",
            object(json!({
                "tenantId": uuid(), "tenantName": text(), "membershipId": uuid(),
                "status": { "enum": ["ACTIVE", "SUSPENDED"] }, "roles": array(text()),
            })),
        ),
    ]
}

pub async fn answer(session: &mut Session, call: &Call<'_>) -> Performed {
    let user = call.user()?;
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
    Ok(shown(json!({
        "id": user.id,
        "subject": user.subject,
        "email": user.email,
        "emailVerified": true,
        "displayName": user.display_name,
        "memberships": memberships,
        "createdAt": time(user.created_at),
        "updatedAt": time(user.updated_at),
    })))
}
