-- The last endpoint for which `last_event` was turned into a delivery, while a company has more endpoints than one batch: the next batch
-- goes on behind it. Null: for all of them.
alter table stoa_webhook_cursor add column last_endpoint blob;
