//! `POST /iam/commands`: exactly one of seven commands. All of them hold the company's row, so that two that run at once see
//! each other: none may leave the company without a user who can manage its people.

use std::sync::Arc;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use stoa_descriptor::Route;
use uuid::Uuid;

use super::super::audit_list::Detail;
use super::super::operation::{PlatformOperation, on_session};
use super::super::reply::answer_about;
use super::super::{Call, PERMISSIONS, Performed, company_settings};
use super::directory::{insert_membership, note_company};
use super::{MANAGE, MembershipStatus, RoleStatus};
use crate::database::{Cell, Error, Session};
use crate::ids::Ids;
use crate::pipeline::outcome::{Done, Refused};
use crate::problem::{Item, Problem};
use crate::sandbox::Module;

/// Permissions that one command may name: those of the interface, or all there are if they are more.
const MOST_PERMISSIONS: usize = 21;

/// Roles of a company.
const MOST_ROLES: i64 = 1_000;

pub const OPERATIONS: &[PlatformOperation] = &[PlatformOperation::command(
    "/tenants/{tenantId}/iam/commands",
    "executeIamCommand",
    on_session!(execute).amend(offer_permissions),
)
.summary("Change a role or a membership")
.description(
    "Exactly one command, selected by `kind`. The response has the id of the role or membership, and the command takes \
        effect with the next request. A command that changes nothing succeeds. The role OWNER has every permission and \
        cannot be disabled or reduced. A company has at most 1,000 roles: one more is rejected with LIMIT_EXCEEDED. Every \
        command must leave the company with an ACTIVE membership that has \
        `users.manage` through an ACTIVE role.",
)
.needs(&[MANAGE])
.body::<Command>()
.answers::<Identified>()
.writes("ROLE", &[])
.problems(&["DUPLICATE", "ILLEGAL_STATE", "LAST_MANAGER", "LIMIT_EXCEEDED"])];

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
enum Command {
    /// Creates a role without permissions.
    #[schemars(title = "CreateRoleCommand")]
    CreateRole {
        /// Unique in the company. Stored in upper case. Immutable.
        #[schemars(regex(pattern = r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$"), extend("x-normalize" = ["upper"]))]
        code: String,
        #[schemars(length(min = 1, max = 200), extend("x-normalize" = ["trim"]))]
        name: String,
    },
    /// Enables or disables a role. A DISABLED role grants nothing.
    #[schemars(title = "SetRoleStatusCommand")]
    SetRoleStatus { role_id: Uuid, status: RoleStatus },
    /// Replaces all permissions of the role.
    #[schemars(title = "ReplaceRolePermissionsCommand")]
    ReplaceRolePermissions { role_id: Uuid, permissions: BTreeSet<String> },
    /// Adds a user who has signed in at least once, without roles.
    #[schemars(title = "CreateMembershipCommand")]
    CreateMembership { user_id: Uuid },
    /// Suspends or resumes a member. Requests of a SUSPENDED member are rejected.
    #[schemars(title = "SetMembershipStatusCommand")]
    SetMembershipStatus { membership_id: Uuid, status: MembershipStatus },
    /// Gives the role to the member, with its permissions while the role is ACTIVE.
    #[schemars(title = "AssignRoleCommand")]
    AssignRole { membership_id: Uuid, role_id: Uuid },
    /// Takes the role from the member.
    #[schemars(title = "RevokeRoleCommand")]
    RevokeRole { membership_id: Uuid, role_id: Uuid },
}

impl Command {
    /// As the body says it.
    fn kind(&self) -> &'static str {
        match self {
            Command::CreateRole { .. } => "create_role",
            Command::SetRoleStatus { .. } => "set_role_status",
            Command::ReplaceRolePermissions { .. } => "replace_role_permissions",
            Command::CreateMembership { .. } => "create_membership",
            Command::SetMembershipStatus { .. } => "set_membership_status",
            Command::AssignRole { .. } => "assign_role",
            Command::RevokeRole { .. } => "revoke_role",
        }
    }
}

/// The permissions that a command may name: the host's and those of the active modules.
fn offer_permissions(route: &mut Route, modules: &[Arc<Module>]) {
    let host_codes = PERMISSIONS.iter().map(|(code, _)| *code);
    let theirs = modules.iter().flat_map(|module| &module.descriptor.permissions).map(|named| named.code.as_str());
    let all: BTreeSet<&str> = host_codes.chain(theirs).collect();
    let commands = route.body.as_mut().and_then(|body| body.pointer_mut("/oneOf")).and_then(Json::as_array_mut);
    for command in commands.into_iter().flatten() {
        if let Some(Json::Object(permissions)) = command.pointer_mut("/properties/permissions") {
            permissions.insert("maxItems".into(), all.len().max(MOST_PERMISSIONS).into());
            permissions.insert("items".into(), json!({ "type": "string", "title": "PermissionCode", "enum": all }));
        }
    }
}

// The resource of a command.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Identified {
    id: Uuid,
}

/// The effect of a command: on what, which members of it differ now, and what was given and taken.
struct Effect {
    audit: &'static str,
    id: Uuid,
    changed: Option<&'static str>,
    detail: Detail,
}

async fn execute(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let now = call.opened.now;
    let command: Command = call.body()?;
    let kind = command.kind();
    company_settings::lock(session, tenant).await?;
    let mut iam = Iam { session, tenant, now };
    let effect = match command {
        Command::CreateRole { code, name } => iam.create_role(&code, &name).await?,
        Command::SetRoleStatus { role_id, status } => iam.set_role_status(role_id, status).await?,
        Command::ReplaceRolePermissions { role_id, permissions } => iam.replace(role_id, permissions).await?,
        Command::CreateMembership { user_id } => iam.create_membership(user_id).await?,
        Command::SetMembershipStatus { membership_id, status } => {
            iam.set_membership_status(membership_id, status).await?
        }
        Command::AssignRole { membership_id, role_id } => iam.assign(membership_id, role_id).await?,
        Command::RevokeRole { membership_id, role_id } => iam.revoke(membership_id, role_id).await?,
    };
    if !iam.has_manager().await? {
        return Err(Problem::new("LAST_MANAGER").into());
    }
    Ok(Done {
        audit: Some(effect.audit),
        changed: effect.changed.map(String::from).into_iter().collect(),
        detail: Detail { kind: Some(kind.to_owned()), ..effect.detail }.keep()?,
        ..answer_about(effect.id, &Identified { id: effect.id })?
    })
}

/// The rows of one company, whose own row is held.
struct Iam<'a> {
    session: &'a mut Session,
    tenant: Uuid,
    now: i64,
}

impl Iam<'_> {
    async fn create_role(&mut self, code: &str, name: &str) -> Result<Effect, Refused> {
        let taken = "select id from stoa_role where tenant_id = $1 and code = $2";
        if self.exists(taken, Cell::text(code)).await? {
            return Err(Problem::at("DUPLICATE", "/code").into());
        }
        let roles = "select count(*) from stoa_role where tenant_id = $1";
        let roles = self.session.query(roles, &[Cell::Id(self.tenant)]).await?;
        if roles.first().map_or(Ok(0), |row| row.integer(0))? >= MOST_ROLES {
            return Err(Problem::limit_exceeded(MOST_ROLES, "ROLES").into());
        }
        let id = Ids::new(self.now).make();
        self.session
            .query(
                "insert into stoa_role (tenant_id, id, code, name, status, system, created_at, updated_at)
                 values ($1, $2, $3, $4, 'ACTIVE', $5, $6, $6)",
                &[
                    Cell::Id(self.tenant),
                    Cell::Id(id),
                    Cell::text(code),
                    Cell::text(name),
                    Cell::Boolean(false),
                    Cell::Instant(self.now),
                ],
            )
            .await?;
        Ok(role(id, None))
    }

    async fn set_role_status(&mut self, id: Uuid, status: RoleStatus) -> Result<Effect, Refused> {
        let before = self.role(id).await?;
        if before.status == status {
            return Ok(role(id, None).with_status(status.as_str()));
        }
        before.require_ordinary()?;
        self.session
            .query(
                "update stoa_role set status = $3, updated_at = $4 where tenant_id = $1 and id = $2",
                &[Cell::Id(self.tenant), Cell::Id(id), Cell::text(status.as_str()), Cell::Instant(self.now)],
            )
            .await?;
        Ok(role(id, Some("status")).with_status(status.as_str()))
    }

    async fn replace(&mut self, id: Uuid, permissions: BTreeSet<String>) -> Result<Effect, Refused> {
        self.role(id).await?.require_ordinary()?;
        let stored = self
            .session
            .query(
                "delete from stoa_role_permission where tenant_id = $1 and role_id = $2 returning permission",
                &[Cell::Id(self.tenant), Cell::Id(id)],
            )
            .await?;
        let before = stored.iter().map(|row| row.text(0)).collect::<Result<BTreeSet<String>, Error>>()?;
        for permission in &permissions {
            self.session
                .query(
                    "insert into stoa_role_permission (tenant_id, role_id, permission) values ($1, $2, $3)",
                    &[Cell::Id(self.tenant), Cell::Id(id), Cell::text(permission)],
                )
                .await?;
        }
        if before == permissions {
            return Ok(role(id, None));
        }
        self.touch_role(id).await?;
        let effect = role(id, Some("permissions"));
        let codes = Detail::of_codes(&before, &permissions);
        Ok(Effect { detail: Detail { gained: codes.gained, lost: codes.lost, ..effect.detail }, ..effect })
    }

    async fn create_membership(&mut self, user: Uuid) -> Result<Effect, Refused> {
        let known = self.session.query_home("select id from stoa_user where id = $1", &[Cell::Id(user)]).await?;
        if known.is_empty() {
            return Err(Problem::at("NOT_FOUND", "/userId").into());
        }
        let taken = "select id from stoa_membership where tenant_id = $1 and user_id = $2";
        if self.exists(taken, Cell::Id(user)).await? {
            return Err(Problem::at("DUPLICATE", "/userId").into());
        }
        let id = Ids::new(self.now).make();
        note_company(self.session, user, self.tenant, false).await?;
        insert_membership(self.session, self.tenant, id, user, self.now).await?;
        let effect = membership(id, None);
        Ok(Effect { detail: Detail { user_id: Some(user), ..effect.detail }, ..effect })
    }

    async fn set_membership_status(&mut self, id: Uuid, status: MembershipStatus) -> Result<Effect, Refused> {
        let rows = self
            .session
            .query(
                "select status from stoa_membership where tenant_id = $1 and id = $2",
                &[Cell::Id(self.tenant), Cell::Id(id)],
            )
            .await?;
        let row = rows.first().ok_or_else(|| Problem::at("NOT_FOUND", "/membershipId"))?;
        let before = MembershipStatus::read(row, 0)?;
        if before == status {
            return Ok(membership(id, None).with_status(status.as_str()));
        }
        self.session
            .query(
                "update stoa_membership set status = $3, updated_at = $4 where tenant_id = $1 and id = $2",
                &[Cell::Id(self.tenant), Cell::Id(id), Cell::text(status.as_str()), Cell::Instant(self.now)],
            )
            .await?;
        Ok(membership(id, Some("status")).with_status(status.as_str()))
    }

    async fn assign(&mut self, member: Uuid, role: Uuid) -> Result<Effect, Refused> {
        self.require_both(member, role).await?;
        let made = self
            .session
            .query(
                "insert into stoa_membership_role (tenant_id, membership_id, role_id) values ($1, $2, $3)
                 on conflict do nothing returning role_id",
                &[Cell::Id(self.tenant), Cell::Id(member), Cell::Id(role)],
            )
            .await?;
        let mut effect = self.touch_member(member, role, !made.is_empty()).await?;
        if !made.is_empty() {
            effect.detail.gained = self.permissions_by_this_role_alone(member, role).await?;
        }
        Ok(effect)
    }

    async fn revoke(&mut self, member: Uuid, role: Uuid) -> Result<Effect, Refused> {
        self.require_both(member, role).await?;
        let gone = self
            .session
            .query(
                "delete from stoa_membership_role where tenant_id = $1 and membership_id = $2 and role_id = $3
                 returning role_id",
                &[Cell::Id(self.tenant), Cell::Id(member), Cell::Id(role)],
            )
            .await?;
        let mut effect = self.touch_member(member, role, !gone.is_empty()).await?;
        if !gone.is_empty() {
            effect.detail.lost = self.permissions_by_this_role_alone(member, role).await?;
        }
        Ok(effect)
    }

    /// Permissions that the role grants and no other role of the member does. There are none for the owner's role: its id says that it
    /// grants everything.
    async fn permissions_by_this_role_alone(&mut self, member: Uuid, role: Uuid) -> Result<Vec<String>, Error> {
        let rows = self
            .session
            .query(
                "select p.permission from stoa_role_permission p
                 join stoa_role r on r.tenant_id = $1 and r.id = p.role_id and r.status = 'ACTIVE'
                 where p.tenant_id = $1 and p.role_id = $3 and not exists (
                   select 1 from stoa_membership_role a
                   join stoa_role o on o.tenant_id = $1 and o.id = a.role_id and o.status = 'ACTIVE'
                   left join stoa_role_permission q
                     on q.tenant_id = $1 and q.role_id = o.id and q.permission = p.permission
                   where a.tenant_id = $1 and a.membership_id = $2 and a.role_id <> $3
                     and (o.system or q.permission is not null))
                 order by p.permission",
                &[Cell::Id(self.tenant), Cell::Id(member), Cell::Id(role)],
            )
            .await?;
        rows.iter().map(|row| row.text(0)).collect()
    }

    /// The member's row after its role was given or taken, unless that `changed` nothing.
    async fn touch_member(&mut self, member: Uuid, role: Uuid, changed: bool) -> Result<Effect, Refused> {
        let effect = membership(member, changed.then_some("roles"));
        let effect = Effect { detail: Detail { role_id: Some(role), ..effect.detail }, ..effect };
        if !changed {
            return Ok(effect);
        }
        self.session
            .query(
                "update stoa_membership set updated_at = $3 where tenant_id = $1 and id = $2",
                &[Cell::Id(self.tenant), Cell::Id(member), Cell::Instant(self.now)],
            )
            .await?;
        Ok(effect)
    }

    async fn touch_role(&mut self, id: Uuid) -> Result<(), Error> {
        self.session
            .query(
                "update stoa_role set updated_at = $3 where tenant_id = $1 and id = $2",
                &[Cell::Id(self.tenant), Cell::Id(id), Cell::Instant(self.now)],
            )
            .await?;
        Ok(())
    }

    async fn role(&mut self, id: Uuid) -> Result<StoredRole, Refused> {
        let rows = self
            .session
            .query(
                "select status, system from stoa_role where tenant_id = $1 and id = $2",
                &[Cell::Id(self.tenant), Cell::Id(id)],
            )
            .await?;
        let row = rows.first().ok_or_else(|| Problem::at("NOT_FOUND", "/roleId"))?;
        Ok(StoredRole { status: RoleStatus::read(row, 0)?, system: row.boolean(1)? })
    }

    /// Refuses, with every pointer, what names a membership or a role that is not there.
    async fn require_both(&mut self, member: Uuid, role: Uuid) -> Result<(), Refused> {
        let members = "select id from stoa_membership where tenant_id = $1 and id = $2";
        let roles = "select id from stoa_role where tenant_id = $1 and id = $2";
        let mut missing = Vec::new();
        if !self.exists(members, Cell::Id(member)).await? {
            missing.push(Item::new("/membershipId", "NOT_FOUND"));
        }
        if !self.exists(roles, Cell::Id(role)).await? {
            missing.push(Item::new("/roleId", "NOT_FOUND"));
        }
        if missing.is_empty() { Ok(()) } else { Err(Problem::new("NOT_FOUND").with(missing).into()) }
    }

    async fn exists(&mut self, sql: &'static str, value: Cell) -> Result<bool, Error> {
        Ok(!self.session.query(sql, &[Cell::Id(self.tenant), value]).await?.is_empty())
    }

    /// Returns whether a user can still manage the company's people.
    async fn has_manager(&mut self) -> Result<bool, Error> {
        let rows = self
            .session
            .query(
                "select m.id from stoa_membership m
                 join stoa_membership_role a on a.tenant_id = $1 and a.membership_id = m.id
                 join stoa_role r on r.tenant_id = $1 and r.id = a.role_id
                 where m.tenant_id = $1 and m.status = 'ACTIVE' and r.status = 'ACTIVE'
                   and (r.system or exists (
                     select 1 from stoa_role_permission p
                     where p.tenant_id = $1 and p.role_id = r.id and p.permission = $2))
                 limit 1",
                &[Cell::Id(self.tenant), Cell::text(MANAGE)],
            )
            .await?;
        Ok(!rows.is_empty())
    }
}

/// The columns of a role that a command must read before it changes it.
struct StoredRole {
    status: RoleStatus,
    system: bool,
}

impl StoredRole {
    /// Refuses the role that never changes.
    fn require_ordinary(&self) -> Result<(), Problem> {
        if self.system { Err(Problem::at("ILLEGAL_STATE", "/roleId")) } else { Ok(()) }
    }
}

impl Effect {
    fn with_status(self, status: &str) -> Effect {
        Effect { detail: Detail { status: Some(status.to_owned()), ..self.detail }, ..self }
    }
}

fn role(id: Uuid, changed: Option<&'static str>) -> Effect {
    Effect { audit: "ROLE", id, changed, detail: Detail { role_id: Some(id), ..Detail::default() } }
}

fn membership(id: Uuid, changed: Option<&'static str>) -> Effect {
    Effect { audit: "MEMBERSHIP", id, changed, detail: Detail { membership_id: Some(id), ..Detail::default() } }
}
