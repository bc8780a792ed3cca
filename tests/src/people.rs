//! People of a company in short words: who they are, what they may do, and what an operator does to it.

use std::process::Output;

use serde_json::{Value as Json, json};

use crate::company::fresh;
use crate::{Answer, Company, Stoa};

/// An address that no other test uses.
pub fn somebody(name: &str) -> String {
    format!("{}@example.test", fresh(&format!("{name}-{}-", std::process::id())))
}

impl Stoa {
    /// The id of a user, who is known from this sign-in on.
    #[track_caller]
    pub fn user_id(&self, email: &str) -> String {
        self.request("GET", "/v1/auth/me").token(&self.token(email)).send().is(200).id()
    }

    /// `stoa tenant ... --json` on this host's database; `Err` holds what it wrote to stderr.
    pub fn operator(&self, arguments: &[&str]) -> Result<Json, String> {
        let Output { status, stdout, stderr } =
            self.command().arg("tenant").args(arguments).arg("--json").output().expect("cannot run the binary");
        if !status.success() {
            return Err(String::from_utf8_lossy(&stderr).into_owned());
        }
        let reported = String::from_utf8_lossy(&stdout).into_owned();
        Ok(serde_json::from_str(&reported).unwrap_or_else(|error| panic!("no JSON: {error}: {reported}")))
    }
}

impl Company {
    /// One command of `/iam/commands`.
    #[track_caller]
    pub fn iam(&self, kind: &str, mut members: Json) -> Answer {
        members["kind"] = kind.into();
        self.post("iam/commands", members)
    }

    /// A role that grants these permissions: its id.
    #[track_caller]
    pub fn role(&self, code: &str, permissions: &[&str]) -> String {
        let id = self.iam("create_role", json!({ "code": code, "name": format!("Role {code}") })).is(201).id();
        self.iam("replace_role_permissions", json!({ "roleId": id, "permissions": permissions })).is(201);
        id
    }

    /// A member with these roles: the membership's id, and the company as that person sees it.
    #[track_caller]
    pub fn member(&self, name: &str, roles: &[&str]) -> (String, Company) {
        let email = somebody(name);
        let user = self.host.user_id(&email);
        let id = self.iam("create_membership", json!({ "userId": user })).is(201).id();
        for role in roles {
            self.iam("assign_role", json!({ "membershipId": id, "roleId": role })).is(201);
        }
        (id, self.as_user(&email))
    }

    /// The role OWNER.
    #[track_caller]
    pub fn owner_role(&self) -> String {
        let roles = self.list("iam/roles", &[("text", "OWNER")]).is(200);
        roles.items()[0]["id"].as_str().unwrap_or_else(|| panic!("no role OWNER: {roles}")).to_string()
    }

    /// The membership of the caller.
    #[track_caller]
    pub fn own_membership(&self) -> String {
        let context = self.get("context").is(200);
        context["membership"]["id"].as_str().unwrap_or_else(|| panic!("no membership: {context}")).to_string()
    }
}
