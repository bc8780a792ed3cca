//! What the host keeps itself: people and API clients.

use serde_json::json;
use stoa_tests::people::somebody;

use super::{Kind, Part, PutAway};

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[],
    exempt: &[
        ("*", "cursor", "a position, nobody's record: [P17] has a test of its own"),
        ("executeIamCommand create_membership", "userId", "people belong to no company"),
    ],
    needs: &[("listMemberships", "membership")],
    values: &[("timeZone", "UTC")],
    amends: &[],
};

const KINDS: &[Kind] = &[
    Kind {
        name: "API client",
        collection: "api-clients",
        names: &["clientId"],
        make: |records| {
            records.company.post("api-clients", json!({ "name": records.word(), "scopes": ["catalog.read"] }))
        },
        put_away: PutAway::Other(|records, id| {
            let request = records.company.request("PATCH", &format!("api-clients/{id}/status"));
            request.json(&json!({ "status": "REVOKED" })).send()
        }),
    },
    Kind {
        name: "API key",
        collection: "",
        names: &["keyId"],
        make: |records| records.company.post(&format!("api-clients/{}/keys", records.id_of("API client")), json!({})),
        put_away: PutAway::Other(|records, id| {
            let path = format!("api-clients/{}/keys/{id}/revoke", records.id_of("API client"));
            records.company.post(&path, json!({}))
        }),
    },
    Kind {
        name: "role",
        collection: "iam/roles",
        names: &["roleId"],
        make: |records| {
            let role = records.company.role(&records.word(), &["catalog.read"]);
            records.company.get(&format!("iam/roles/{role}"))
        },
        put_away: PutAway::Other(|records, id| {
            records.company.iam("set_role_status", json!({ "roleId": id, "status": "DISABLED" }))
        }),
    },
    Kind {
        name: "membership",
        collection: "iam/memberships",
        names: &["membershipId"],
        make: |records| {
            let (membership, _) = records.company.member(records.prefix(), &[&records.id_of("role")]);
            records.company.get(&format!("iam/memberships/{membership}"))
        },
        put_away: PutAway::Other(|records, id| {
            records.company.iam("set_membership_status", json!({ "membershipId": id, "status": "SUSPENDED" }))
        }),
    },
    Kind {
        name: "user",
        collection: "",
        names: &["userId"],
        make: |records| {
            let token = records.company.host.token(&somebody(records.prefix()));
            records.company.host.get_with("/v1/auth/me", &token)
        },
        put_away: PutAway::Never,
    },
];
