-- Where integrators hear of events. `kinds`: sorted, separated by blanks. Secrets are encrypted under the deployment's key `key_id`; while
-- a rotation overlaps, the previous one signs until `previous_until`. Events from before `listens_since` are not sent.
create table stoa_webhook_endpoint (
  tenant_id blob not null,
  id blob not null,
  name text not null,
  url text not null,
  status text not null check (status in ('ACTIVE', 'DISABLED', 'ARCHIVED')),
  kinds text not null,
  version integer not null,
  key_id text not null,
  secret blob not null,
  previous_secret blob,
  previous_until integer,
  listens_since integer not null,
  disabled_at integer,
  created_at integer not null,
  updated_at integer not null,
  primary key (tenant_id, id)
) strict;
create index stoa_webhook_endpoint_key on stoa_webhook_endpoint (key_id);

-- An endpoint's deliveries, as the relays see them: when one is due next, and who works on them until then. `failures`: deliveries in a row
-- that ended FAILED, the first of them at `failing_since`.
create table stoa_webhook_lane (
  tenant_id blob not null,
  endpoint_id blob not null,
  due_at integer,
  holder blob,
  failures integer not null default 0,
  failing_since integer,
  primary key (tenant_id, endpoint_id)
) strict, without rowid;
create index stoa_webhook_lane_due on stoa_webhook_lane (due_at) where due_at is not null;

-- How far the events of a company with endpoints were turned into deliveries.
create table stoa_webhook_cursor (
  tenant_id blob primary key,
  last_event blob not null
) strict, without rowid;

-- One event for one endpoint. `begun`: attempts so far, the one under way since `begun_at` among them. `attempts`: those that ended, as JSON.
create table stoa_webhook_delivery (
  tenant_id blob not null,
  id blob not null,
  endpoint_id blob not null,
  event_id blob not null,
  kind text not null,
  status text not null check (status in ('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  begun integer not null default 0,
  begun_at integer,
  attempts text not null default '[]',
  next_attempt_at integer,
  created_at integer not null,
  primary key (tenant_id, id)
) strict;
create index stoa_webhook_delivery_endpoint on stoa_webhook_delivery (tenant_id, endpoint_id, id);
create index stoa_webhook_delivery_due on stoa_webhook_delivery (tenant_id, endpoint_id, next_attempt_at, id)
  where status = 'PENDING';
