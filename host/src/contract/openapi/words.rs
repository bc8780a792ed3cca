//! Descriptions of members and parameters that have none of their own, by name. The words here mean the same in the
//! host's schemas and in every module's; a module brings more of its own in its descriptor. A member's own comment wins
//! over both.

use std::collections::HashMap;

use serde_json::{Map, Value};
use stoa_descriptor::Named;

/// In the order of the alphabet.
const COMMON: &[(&str, &str)] = &[
    ("PUBLIC_API_DISABLED", "Requests rejected while the company is not entitled to the public API."),
    ("QUOTA_EXCEEDED", "Requests rejected because the monthly quota was used up."),
    ("RATE_LIMITED", "Requests rejected because the limit of the minute was reached."),
    ("actorId", "Id of the user or API client that acted; a name such as `system:operator` for the system."),
    ("actorType", "Kind of the actor: a user, an API client or the system."),
    ("admitted", "Requests that passed the rate limits."),
    ("apiClientId", "Id of the API client."),
    ("archivedAt", "Instant at which the record was archived; null while it is active."),
    ("at", "Instant of the attempt."),
    ("code", "Code, unique per company and record type."),
    ("created", "Records that the request created."),
    ("createdAt", "Instant of creation."),
    ("createdBy", "Id of the user who created it."),
    ("cursor", "The `nextCursor` of the previous page; absent for the first page."),
    ("data", "Data of the event. Its schema depends on `kind`."),
    ("database", "State of the connection to the database."),
    ("day", "Calendar day in UTC."),
    ("defaultCurrencyCode", "ISO 4217 currency that applies where a request names none."),
    ("deliveryId", "Id of the delivery."),
    ("denied", "Rejected requests, counted by problem code."),
    ("description", "Free text for users."),
    ("displayName", "Name to show to users."),
    ("durationMs", "Duration in milliseconds."),
    ("email", "E-mail address from the identity provider."),
    ("emailVerified", "True if the identity provider has verified the address."),
    ("endpoint", "Current state of the endpoint."),
    ("entitlements", "Optional features that an operator granted to the company."),
    ("environment", "`test` or `live`: where keys of the client are valid."),
    ("errors", "Faults of the request, each with a JSON pointer and a code."),
    ("eventId", "Id of the event; the same in every delivery of it."),
    (
        "expectedVersion",
        "The `version` that you read. The host rejects the write with VERSION_CONFLICT if the record has changed since.",
    ),
    ("expiresAt", "Instant from which it is no longer valid."),
    ("hint", "The next step, in one sentence."),
    ("id", "Unique identifier; never changes."),
    ("ipAddress", "Address of the caller, as the outermost trusted proxy reports it."),
    ("items", "Entries, sorted as the operation states."),
    ("keyId", "Id of the API key that the request used."),
    ("kind", "Event kind."),
    ("last4", "Last four characters, to tell keys apart."),
    ("lastUsedAt", "Instant of the last admitted request; null if there was none."),
    ("limit", "Maximum number of items on a page, or of requests in a window."),
    ("membership", "Membership of the user in the company."),
    ("membershipId", "Id of the membership: one user in one company."),
    ("memberships", "Companies of the user."),
    ("metadata", "Further facts, such as the result of the request."),
    ("module", "Name of the module that defines it."),
    ("monthlyQuota", "Requests that a calendar month (UTC) admits."),
    ("name", "Name to show to users."),
    ("nextCursor", "Send it as `cursor` for the next page; null on the last page."),
    ("occurredAt", "Instant at which the event happened."),
    ("operation", "Operation id in this contract."),
    ("operations", "Ids of the operations that it allows."),
    ("permissions", "Codes of permissions."),
    ("prefix", "First characters of the secret: enough to identify it, not to use it."),
    ("rateLimit", "Requests that a minute admits, per client."),
    ("reason", "Reason that the caller stated."),
    ("requestId", "The `X-Request-Id` of the request that caused it."),
    ("requestsPerMinute", "Requests that a minute admits."),
    ("resetsAt", "Instant at which the counter returns to zero."),
    ("resource", "The changed resource: type, id and, if it has one, version."),
    ("resourceId", "Id of the changed record."),
    ("resourceType", "Type of the changed record."),
    ("responseCode", "HTTP status of the response."),
    ("result", "Outcome of the request."),
    ("revokedAt", "Instant of the revocation; null while it is valid."),
    ("revokedBy", "Id of the user who revoked it; null while it is valid."),
    ("roleId", "Id of the role."),
    ("roles", "Codes of the roles."),
    ("scopes", "Codes of the scopes that the client's keys have."),
    ("service", "Name of the responding service."),
    ("status", "State of the record, one of the listed values."),
    ("subject", "Identifier of the user at the identity provider (`sub`)."),
    ("subscriptions", "Event kinds that the endpoint receives."),
    ("tenant", "The company."),
    ("tenantId", "Id of the company."),
    ("tenantName", "Name of the company."),
    ("timeZone", "IANA time zone that decides when the company's days begin, such as `Europe/Amsterdam`."),
    ("type", "Type of the record."),
    ("updatedAt", "Instant of the last change."),
    ("url", "URL to which deliveries are sent."),
    ("userId", "Id of the user."),
    ("version", "Number that rises by one with every change."),
];

/// The words of one module's schemas.
pub struct Words<'a>(HashMap<&'a str, &'a str>);

impl<'a> Words<'a> {
    /// The common words, under the module's own.
    pub fn new(module_words: &'a [Named]) -> Words<'a> {
        let module_words = module_words.iter().map(|word| (word.code.as_str(), word.description.as_str()));
        Words(COMMON.iter().copied().chain(module_words).collect())
    }

    /// Describes one member or parameter, unless it says something itself. A reference stays as it is: its target is
    /// described where it is declared.
    pub fn describe(&self, name: &str, schema: &mut Value) {
        let Some(keywords) = schema.as_object_mut() else { return };
        if keywords.contains_key("description") || keywords.contains_key("$ref") {
            return;
        }
        if let Some(text) = self.0.get(name) {
            keywords.insert("description".to_owned(), (*text).into());
        }
    }

    /// Describes all members of an object.
    pub fn describe_members(&self, members: &mut Map<String, Value>) {
        for (name, schema) in members {
            self.describe(name, schema);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_meaning() {
        assert!(COMMON.is_sorted_by(|(one, _), (other, _)| one < other));
    }
}
