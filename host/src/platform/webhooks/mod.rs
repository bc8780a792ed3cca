//! Webhooks of a company: the endpoints that hear of events, and what became of each delivery. People and API clients see and change the
//! same ones.

mod deliveries;
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

/// What an API client needs for them.
pub const SCOPE: &str = "webhooks.manage";

const AUDIT: &str = "WEBHOOK_ENDPOINT";
const HEARS: &str = "An endpoint that is to hear of more kinds than one may name is two endpoints. `url`: https on port 443, the name of \
    a public host in DNS, no user, query or fragment; it is judged now and, by what its name resolves to, at each attempt. The answer \
    shows `signingSecret` this one time: all of it, as UTF-8, is the key of HMAC-SHA256. A retry after it was delivered is refused with \
    CREDENTIAL_ALREADY_DELIVERED: rotate the secret then.";
const ROTATES: &str = "For 24 hours the old secret goes on signing `X-Webhook-Signature`, and the new one signs \
    `X-Webhook-Signature-Next`; then the new one alone. A second rotation meanwhile is refused with ILLEGAL_STATE.";
const REDELIVERS: &str = "A new delivery of the same event, with the same id, for each event of the range whose deliveries were created \
    between `from` and `to` and have ended. More than 1,000 are refused with LIMIT_EXCEEDED: take a narrower range.";

/// People's operation and its twin for API clients, which differ by path, id and audience alone.
macro_rules! twins {
    ($make:ident, $path:literal, $name:literal, $twin:literal, $handler:path, |$row:ident| $rest:expr) => {
        [
            {
                let $row = PlatformOperation::$make(
                    concat!("/tenants/{tenantId}/webhooks", $path),
                    $name,
                    on_session!($handler),
                )
                .needs(&["api.manage"]);
                $rest
            },
            {
                let $row =
                    PlatformOperation::$make(concat!("/api-client/webhooks", $path), $twin, on_session!($handler))
                        .machine(&[SCOPE]);
                $rest
            },
        ]
    };
}

/// Every operation, each with its twin.
pub const OPERATIONS: [&[PlatformOperation]; 10] =
    [&LIST, &CREATE, &GET, &REPLACE, &ARCHIVE, &ROTATE, &TEST, &LIST_DELIVERIES, &REDELIVER, &REDELIVER_RANGE];

const LIST: [PlatformOperation; 2] = twins!(read, "", "listWebhooks", "apiListWebhooks", endpoints::list, |row| row
    .summary("The company's webhook endpoints, without their secrets.")
    .query::<ListWebhooks>()
    .answers::<Page<Webhook>>());
const CREATE: [PlatformOperation; 2] =
    twins!(create, "", "createWebhook", "apiCreateWebhook", endpoints::create, |row| row
        .summary("Make a webhook endpoint.")
        .description(HEARS)
        .body::<NewWebhook>()
        .answers::<Credential>()
        .writes(AUDIT)
        .problems(&["CREDENTIAL_ALREADY_DELIVERED"])
        .cache_control("no-store")
        .check_ahead(endpoints::check_address)
        .amend(offer_kinds));
const GET: [PlatformOperation; 2] =
    twins!(read, "/{webhookId}", "getWebhook", "apiGetWebhook", endpoints::get, |row| row
        .summary("One webhook endpoint.")
        .answers::<Webhook>());
const REPLACE: [PlatformOperation; 2] = twins!(
    replace,
    "/{webhookId}",
    "replaceWebhook",
    "apiReplaceWebhook",
    endpoints::replace,
    |row| {
        row
        .summary("Replace a webhook endpoint.")
        .description(
            "Full replacement. While DISABLED an endpoint's deliveries wait, up to three days; events of that time are not sent later.",
        )
        .body::<Replacement>()
        .answers::<Webhook>()
        .writes(AUDIT)
        .problems(&["VERSION_CONFLICT", "ARCHIVED", "LIMIT_EXCEEDED"])
        .check_ahead(endpoints::check_address)
        .amend(offer_kinds)
    }
);
const ARCHIVE: [PlatformOperation; 2] =
    twins!(transition, "/{webhookId}/archive", "archiveWebhook", "apiArchiveWebhook", endpoints::archive, |row| row
        .summary("Archive a webhook endpoint: what was not delivered is CANCELLED.")
        .body::<Transition>()
        .answers::<Webhook>()
        .writes(AUDIT)
        .problems(&["VERSION_CONFLICT", "ARCHIVED", "LIMIT_EXCEEDED"]));
const ROTATE: [PlatformOperation; 2] = twins!(
    create,
    "/{webhookId}/rotate-secret",
    "rotateWebhookSecret",
    "apiRotateWebhookSecret",
    endpoints::rotate_secret,
    |row| row
        .summary("Give a webhook endpoint a new signing secret.")
        .description(ROTATES)
        .body::<Transition>()
        .answers::<Credential>()
        .writes(AUDIT)
        .problems(&["CREDENTIAL_ALREADY_DELIVERED", "VERSION_CONFLICT", "ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .cache_control("no-store")
);
const TEST: [PlatformOperation; 2] =
    twins!(create, "/{webhookId}/test", "testWebhook", "apiTestWebhook", endpoints::test, |row| row
        .summary("Send `webhook.test` to this endpoint, whether it subscribes to it or not.")
        .body::<Transition>()
        .answers::<EventReference>()
        .writes("WEBHOOK_EVENT")
        .emits(&[TEST_KIND])
        .problems(&["VERSION_CONFLICT", "ARCHIVED", "ILLEGAL_STATE"]));
const LIST_DELIVERIES: [PlatformOperation; 2] = twins!(
    read,
    "/{webhookId}/deliveries",
    "listWebhookDeliveries",
    "apiListWebhookDeliveries",
    deliveries::list,
    |row| row
        .summary("What became of the events for an endpoint, attempt by attempt.")
        .query::<ListDeliveries>()
        .answers::<Page<Delivery>>()
);
const REDELIVER: [PlatformOperation; 2] = twins!(
    create,
    "/{webhookId}/deliveries/{deliveryId}/redeliver",
    "redeliverWebhookDelivery",
    "apiRedeliverWebhookDelivery",
    deliveries::redeliver,
    |row| row
        .summary("Deliver an event once more: a new delivery of the same event, with attempts of its own.")
        .body::<EmptyBody>()
        .answers::<Redelivered>()
        .writes("WEBHOOK_DELIVERY")
        .problems(&["ARCHIVED", "ILLEGAL_STATE"])
);
const REDELIVER_RANGE: [PlatformOperation; 2] = twins!(
    create,
    "/{webhookId}/redeliver",
    "redeliverWebhookDeliveries",
    "apiRedeliverWebhookDeliveries",
    deliveries::redeliver_range,
    |row| row
        .summary("Deliver the events of a time once more.")
        .description(REDELIVERS)
        .body::<Range>()
        .answers::<RedeliveredRange>()
        .writes("WEBHOOK_DELIVERY")
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
        list.insert("items".into(), json!({ "type": "string", "enum": kinds }));
    }
}

/// The host's own kind of event.
pub fn event_kinds() -> Vec<EventKind> {
    let id = json!({ "type": "string", "format": "uuid", "description": "The endpoint that is tried." });
    vec![EventKind {
        code: TEST_KIND.to_owned(),
        description: "An endpoint is tried.".to_owned(),
        resource_type: AUDIT.to_owned(),
        data: json!({
            "type": "object", "description": "Which endpoint is tried.", "required": ["id"], "additionalProperties": false,
            "properties": { "id": id },
        }),
        example: json!({ "id": "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d04" }),
    }]
}
