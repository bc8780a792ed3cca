//! What members and parameters are that say nothing themselves, by their names. The words here mean the same in the host's schemas and
//! in every module's; a module brings more of its own in its descriptor. A member's own comment wins over both.

use std::collections::HashMap;

use serde_json::{Map, Value};
use stoa_descriptor::Named;

/// In the order of the alphabet.
const COMMON: &[(&str, &str)] = &[
    ("PUBLIC_API_DISABLED", "While the company has no programs."),
    ("QUOTA_EXCEEDED", "Beyond the month's quota."),
    ("RATE_LIMITED", "Beyond the minute's limit."),
    ("actorId", "Who did it: a user, an API client, or a part of the system."),
    ("actorType", "What kind of caller did it."),
    ("admitted", "Requests that were let in."),
    ("apiClientId", "The API client."),
    ("archivedAt", "Since when it is archived; null while it is not."),
    ("at", "When it was tried."),
    ("code", "What it is called by, unique among its kind in the company."),
    ("created", "What was made with it."),
    ("createdAt", "When it was made."),
    ("createdBy", "The user who made it."),
    ("cursor", "Where the page goes on: the `nextCursor` of the page before."),
    ("data", "What the event says, by its kind."),
    ("database", "Whether the database answers."),
    ("day", "The day, in UTC."),
    ("defaultCurrencyCode", "The currency where none is named, ISO 4217."),
    ("deliveryId", "The delivery."),
    ("denied", "Requests that were turned away, by the code that they were told."),
    ("description", "What it is, in words."),
    ("displayName", "What people read."),
    ("durationMs", "How long it took, in milliseconds."),
    ("email", "The address, as the identity provider says it."),
    ("emailVerified", "Whether the identity provider has verified it."),
    ("endpoint", "The endpoint as it stands now."),
    ("entitlements", "What the company may use beside the core."),
    ("environment", "Whether its keys are for tests or live."),
    ("errors", "What is wrong with the request, member by member."),
    ("eventId", "The event."),
    ("expectedVersion", "The `version` that was read: a record that has changed since is not written."),
    ("expiresAt", "When it ends by itself."),
    ("hint", "What to do next, in a sentence."),
    ("id", "What it is named by, here and in every other record; it never changes."),
    ("ipAddress", "Where the request came from, as the outermost trusted proxy saw it."),
    ("items", "One by one, as the operation sorts them."),
    ("keyId", "The key that was sent."),
    ("kind", "What happened."),
    ("last4", "The last four characters, for people to tell keys apart."),
    ("lastUsedAt", "When it was last let in; null: never."),
    ("limit", "How many at most."),
    ("membership", "The user's membership in the company."),
    ("membershipId", "The membership: a user in a company."),
    ("memberships", "The companies of the user."),
    ("metadata", "How it ended, and what else is known of it."),
    ("module", "The module that it belongs to."),
    ("monthlyQuota", "How many requests of a calendar month are let in."),
    ("name", "What people call it."),
    ("nextCursor", "The `cursor` of the next page; null where this is the last."),
    ("occurredAt", "When it happened."),
    ("operation", "The operation's id in this contract."),
    ("operations", "The operations that it opens, by their ids in this contract."),
    ("permissions", "Codes of permissions."),
    ("prefix", "How it begins: enough to find it, and nothing to call with."),
    ("rateLimit", "How many requests are let in."),
    ("reason", "Why, in the words of whoever did it."),
    ("requestId", "The request that did it: the `X-Request-Id` of its answer."),
    ("requestsPerMinute", "How many requests of a minute are let in."),
    ("resetsAt", "When it begins anew."),
    ("resource", "What it is about."),
    ("resourceId", "The record that it is about."),
    ("resourceType", "What kind of record it is about."),
    ("responseCode", "The status that was answered."),
    ("result", "How it ended."),
    ("revokedAt", "When it was revoked; null while it is not."),
    ("revokedBy", "The user who revoked it; null while nobody has."),
    ("roleId", "The role."),
    ("roles", "The roles, by their codes."),
    ("scopes", "Codes of scopes: what the client's keys may."),
    ("service", "What answers."),
    ("status", "Where it stands in its life."),
    ("subject", "The user, as the identity provider names it."),
    ("subscriptions", "The kinds of events that it hears of."),
    ("tenant", "The company."),
    ("tenantId", "The company."),
    ("tenantName", "The company's name."),
    ("timeZone", "Where the company's days begin, by the name of the IANA database."),
    ("type", "What kind of record it is."),
    ("updatedAt", "When it was last changed."),
    ("url", "Where it is sent."),
    ("userId", "The user."),
    ("version", "Rises by one with every change."),
];

/// The words of one module's schemas.
pub struct Words<'a>(HashMap<&'a str, &'a str>);

impl<'a> Words<'a> {
    /// The common words, under the module's own.
    pub fn new(own: &'a [Named]) -> Words<'a> {
        let own = own.iter().map(|word| (word.code.as_str(), word.description.as_str()));
        Words(COMMON.iter().copied().chain(own).collect())
    }

    /// Describes one member or parameter, unless it says something itself. A reference is left alone: what it names is described
    /// where it stands.
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
