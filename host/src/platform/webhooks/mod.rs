//! Webhooks of a company: the endpoints that receive events, and the result of each delivery. People and API clients see and change the
//! same ones.

pub(super) mod deliveries;
mod endpoints;

use std::sync::Arc;

use serde_json::{Value as Json, json};
use stoa_descriptor::{EventKind, Route};

use super::operation::{PlatformOperation, on_session};
use super::page::Page;
use crate::events::TEST_KIND;
use crate::sandbox::Module;
use deliveries::{Delivery, ListDeliveries, Range, Redelivered, RedeliveredRange};
use endpoints::{Credential, EmptyBody, EventReference, ListWebhooks, NewWebhook, Replacement, Transition, Webhook};

/// The scope that an API client needs for them.
pub const SCOPE: &str = "webhooks.manage";

const AUDIT: &str = "WEBHOOK_ENDPOINT";
const NOTES: &str = "To receive more kinds than one endpoint may subscribe to, create a second endpoint. A company has a \
    limited number of endpoints: archive one that is no longer used. `url` uses https on \
    port 443 and a public DNS host name, without user, query or fragment. The host checks it now and checks the resolved \
    addresses at each attempt. The response shows `signingSecret` once; its UTF-8 bytes are the key of HMAC-SHA256. After it \
    was delivered, a retry is rejected with CREDENTIAL_ALREADY_DELIVERED: rotate the secret then.";
const ROTATES: &str = "For 24 hours the old secret continues to sign `X-Webhook-Signature`, and the new one signs \
    `X-Webhook-Signature-Next`. After that only the new secret signs. A second rotation within that time is rejected with \
    ILLEGAL_STATE.";
const REDELIVERS: &str = "Creates a new delivery of the same event, with the same id, for each event whose deliveries were \
    created between `from` and `to` and have ended. More than 1,000 are rejected with LIMIT_EXCEEDED: choose a smaller range.";

/// People's operation and its twin for API clients, which differ only by path, id and audience.
macro_rules! twins {
    ($make:ident, $path:literal, $name:literal, $twin:literal, $handler:expr, |$row:ident| $rest:expr) => {
        [
            {
                let $row = PlatformOperation::$make(concat!("/tenants/{tenantId}/webhooks", $path), $name, $handler)
                    .needs(&["api.manage"]);
                $rest
            },
            {
                let $row =
                    PlatformOperation::$make(concat!("/api-client/webhooks", $path), $twin, $handler).machine(&[SCOPE]);
                $rest
            },
        ]
    };
}

/// Every operation, each with its twin.
pub const OPERATIONS: [&[PlatformOperation]; 10] =
    [&LIST, &CREATE, &GET, &REPLACE, &ARCHIVE, &ROTATE, &TEST, &LIST_DELIVERIES, &REDELIVER, &REDELIVER_RANGE];

const LIST: [PlatformOperation; 2] =
    twins!(read, "", "listWebhooks", "apiListWebhooks", on_session!(endpoints::list), |row| row
        .summary("Webhook endpoints of the company, without their secrets")
        .query::<ListWebhooks>()
        .answers::<Page<Webhook>>());
const CREATE: [PlatformOperation; 2] = twins!(
    create,
    "",
    "createWebhook",
    "apiCreateWebhook",
    on_session!(endpoints::create).check_ahead(endpoints::check_address).amend(offer_kinds),
    |row| row
        .summary("Create a webhook endpoint")
        .description(NOTES)
        .body::<NewWebhook>()
        .answers::<Credential>()
        .writes(AUDIT, &[])
        .problems(&["CREDENTIAL_ALREADY_DELIVERED"])
        .item_codes(&["ADDRESS_NOT_ALLOWED"])
        .cache_control("no-store")
);
const GET: [PlatformOperation; 2] =
    twins!(read, "/{webhookId}", "getWebhook", "apiGetWebhook", on_session!(endpoints::get), |row| row
        .summary("A webhook endpoint")
        .answers::<Webhook>());
const REPLACE: [PlatformOperation; 2] = twins!(
    replace,
    "/{webhookId}",
    "replaceWebhook",
    "apiReplaceWebhook",
    on_session!(endpoints::replace).check_ahead(endpoints::check_address).amend(offer_kinds),
    |row| {
        row
        .summary("Replace a webhook endpoint")
        .description(
            "Full replacement. While the endpoint is DISABLED, its deliveries wait up to three days. Events of that time are \
                not sent later.",
        )
        .body::<Replacement>()
        .answers::<Webhook>()
        .writes(AUDIT, &[])
        .problems(&["VERSION_CONFLICT", "ARCHIVED", "LIMIT_EXCEEDED"])
        .item_codes(&["ADDRESS_NOT_ALLOWED"])
    }
);
const ARCHIVE: [PlatformOperation; 2] = twins!(
    transition,
    "/{webhookId}/archive",
    "archiveWebhook",
    "apiArchiveWebhook",
    on_session!(endpoints::archive),
    |row| row
        .summary("Archive a webhook endpoint and cancel its pending deliveries")
        .body::<Transition>()
        .answers::<Webhook>()
        .writes(AUDIT, &[])
        .problems(&["VERSION_CONFLICT", "ARCHIVED", "LIMIT_EXCEEDED"])
);
const ROTATE: [PlatformOperation; 2] = twins!(
    create,
    "/{webhookId}/rotate-secret",
    "rotateWebhookSecret",
    "apiRotateWebhookSecret",
    on_session!(endpoints::rotate_secret),
    |row| row
        .summary("Rotate the signing secret of a webhook endpoint")
        .description(ROTATES)
        .body::<Transition>()
        .answers::<Credential>()
        .writes(AUDIT, &[])
        .problems(&["CREDENTIAL_ALREADY_DELIVERED", "VERSION_CONFLICT", "ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .cache_control("no-store")
);
const TEST: [PlatformOperation; 2] =
    twins!(create, "/{webhookId}/test", "testWebhook", "apiTestWebhook", on_session!(endpoints::test), |row| row
        .summary("Send `webhook.test` to an endpoint, even without a subscription")
        .body::<Transition>()
        .answers::<EventReference>()
        .writes("WEBHOOK_EVENT", &[TEST_KIND])
        .problems(&["VERSION_CONFLICT", "ARCHIVED", "ILLEGAL_STATE"]));
const LIST_DELIVERIES: [PlatformOperation; 2] = twins!(
    read,
    "/{webhookId}/deliveries",
    "listWebhookDeliveries",
    "apiListWebhookDeliveries",
    on_session!(deliveries::list),
    |row| row
        .summary("Deliveries of an endpoint, with each attempt")
        .query::<ListDeliveries>()
        .answers::<Page<Delivery>>()
);
const REDELIVER: [PlatformOperation; 2] = twins!(
    create,
    "/{webhookId}/deliveries/{deliveryId}/redeliver",
    "redeliverWebhookDelivery",
    "apiRedeliverWebhookDelivery",
    on_session!(deliveries::redeliver),
    |row| row
        .summary("Deliver an event again, as a new delivery with its own attempts")
        .body::<EmptyBody>()
        .answers::<Redelivered>()
        .writes("WEBHOOK_DELIVERY", &[])
        .problems(&["ARCHIVED", "ILLEGAL_STATE"])
);
const REDELIVER_RANGE: [PlatformOperation; 2] = twins!(
    create,
    "/{webhookId}/redeliver",
    "redeliverWebhookDeliveries",
    "apiRedeliverWebhookDeliveries",
    on_session!(deliveries::redeliver_range),
    |row| row
        .summary("Deliver the events of a range again")
        .description(REDELIVERS)
        .body::<Range>()
        .answers::<RedeliveredRange>()
        .writes("WEBHOOK_DELIVERY", &[])
        .problems(&["ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
);

/// Kinds that an endpoint may name: those that the active modules declare, and the host's own.
pub fn kinds(modules: &[Arc<Module>]) -> Vec<String> {
    let declared = modules.iter().flat_map(|module| &module.descriptor.events).map(|kind| kind.code.clone());
    let mut kinds: Vec<String> = declared.chain([TEST_KIND.to_owned()]).collect();
    kinds.sort();
    kinds
}

fn offer_kinds(route: &mut Route, modules: &[Arc<Module>]) {
    let kinds = kinds(modules);
    if let Some(Json::Object(list)) = route.body.as_mut().and_then(|body| body.pointer_mut("/properties/subscriptions"))
    {
        list.insert("items".into(), json!({ "type": "string", "title": "EventKind", "enum": kinds }));
    }
}

/// The host's own kind of event.
pub fn event_kinds() -> Vec<EventKind> {
    let id = json!({ "type": "string", "format": "uuid", "description": "The tested endpoint." });
    vec![EventKind {
        code: TEST_KIND.to_owned(),
        description: "Test of an endpoint.".to_owned(),
        resource_type: AUDIT.to_owned(),
        data: json!({
            "type": "object", "description": "Endpoint to test.", "required": ["id"], "additionalProperties": false,
            "properties": { "id": id },
        }),
        example: json!({ "id": "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d04" }),
    }]
}
