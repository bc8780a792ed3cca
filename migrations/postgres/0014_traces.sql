-- The `traceparent` of the request that made an event, for its webhooks.

alter table stoa_event add column trace text;
