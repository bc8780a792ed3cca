//! Records of the host itself: people and API clients.

use serde_json::json;
use stoa_tests::people::somebody;
use stoa_tests::{Answer, Database};

use super::super::records::Records;
use super::{Kind, Part, PutAway};

/// A delivery that has ended: made by hand, since none is made of what comes behind a watermark that is held.
fn insert_delivery(records: &Records) -> Answer {
    let (webhook, event, id) = (records.id_of("webhook"), records.id_of("event"), uuid::Uuid::now_v7().to_string());
    let company = &records.company;
    let (literal, now): (fn(&str) -> String, &str) = match company.host.database() {
        Database::Sqlite => (|id| format!("x'{}'", id.replace('-', "")), "unixepoch() * 1000"),
        Database::Postgres => (|id| format!("'{id}'"), "now()"),
    };
    let [tenant, row, webhook_id, event] = [&company.tenant, &id, &webhook, &event].map(|id| literal(id));
    company.change(&format!(
        "insert into stoa_webhook_delivery (tenant_id, id, endpoint_id, event_id, kind, status, created_at)
         values ({tenant}, {row}, {webhook_id}, {event}, 'catalog.lookup.created', 'FAILED', {now})"
    ));
    let mut answer = company.get(&format!("webhooks/{webhook}")).is(200);
    answer.body = json!({ "id": id });
    answer
}

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[],
    exempt: &[
        ("*", "cursor", "a position, no record: [P17] has a test of its own"),
        ("executeIamCommand create_membership", "userId", "people belong to no company"),
    ],
    needs: &[("listMemberships", "membership")],
    values: &[("timeZone", "UTC")],
    amends: &[("advanceHistory", |body, _| body["to"] = "2001-01-01T00:00:00Z".into())],
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
        name: "webhook",
        collection: "webhooks",
        names: &["webhookId"],
        make: |records| {
            let url = format!("https://hooks.example.com/{}", records.word());
            // A kind that nothing else emits: no delivery is under way when companies are compared.
            let body = json!({ "name": records.word(), "url": url, "subscriptions": ["webhook.test"] });
            let mut answer = records.company.post("webhooks", body).is(201);
            answer.body = answer.body["endpoint"].clone();
            answer
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "event",
        collection: "events",
        names: &["eventId"],
        make: |records| {
            let mut answer = records.lookup("brands");
            let newest = "select id from stoa_event where {tenant} order by id desc limit 1";
            answer.body = json!({ "id": records.company.rows(newest)[0][0] });
            answer
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "webhook delivery",
        collection: "",
        names: &["deliveryId"],
        make: insert_delivery,
        put_away: PutAway::Never,
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
