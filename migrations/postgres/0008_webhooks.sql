-- Where integrators hear of events. `kinds`: sorted, separated by blanks. Secrets are encrypted under the deployment's key `key_id`; while
-- a rotation overlaps, the previous one signs until `previous_until`. Events from before `listens_since` are not sent.
create table stoa_webhook_endpoint (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  url text not null,
  status text not null check (status in ('ACTIVE', 'DISABLED', 'ARCHIVED')),
  kinds text not null,
  version bigint not null,
  key_id text not null,
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz(3),
  listens_since timestamptz(3) not null,
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create index stoa_webhook_endpoint_key on stoa_webhook_endpoint (key_id);

-- An endpoint's deliveries, as the relays see them: when one is due next, and who works on them until then. `failures`: deliveries in a row
-- that ended FAILED, the first of them at `failing_since`.
create table stoa_webhook_lane (
  tenant_id uuid not null,
  endpoint_id uuid not null,
  due_at timestamptz(3),
  holder uuid,
  failures bigint not null default 0,
  failing_since timestamptz(3),
  primary key (tenant_id, endpoint_id)
);
create index stoa_webhook_lane_due on stoa_webhook_lane (due_at) where due_at is not null;

-- How far the events of a company with endpoints were turned into deliveries.
create table stoa_webhook_cursor (
  tenant_id uuid primary key,
  last_event uuid not null
);

-- One event for one endpoint. `begun`: attempts so far, the one under way since `begun_at` among them. `attempts`: those that ended, as JSON.
create table stoa_webhook_delivery (
  tenant_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  kind text not null,
  status text not null check (status in ('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  begun bigint not null default 0,
  begun_at timestamptz(3),
  attempts text not null default '[]',
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create index stoa_webhook_delivery_endpoint on stoa_webhook_delivery (tenant_id, endpoint_id, id);
create index stoa_webhook_delivery_due on stoa_webhook_delivery (tenant_id, endpoint_id, next_attempt_at, id)
  where status = 'PENDING';

alter table stoa_webhook_lane set (fillfactor = 70);
alter table stoa_webhook_delivery set (fillfactor = 70);

select stoa_place('stoa_webhook_endpoint', 'company');
select stoa_place('stoa_webhook_lane', 'company');
select stoa_place('stoa_webhook_cursor', 'company');
select stoa_place('stoa_webhook_delivery', 'company');
