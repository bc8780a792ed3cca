-- Machines that call on a company's behalf. Scopes: sorted, separated by blanks.
create table stoa_api_client (
  tenant_id blob not null,
  id blob not null,
  name text not null,
  description text,
  environment text not null check (environment in ('test', 'live')),
  status text not null check (status in ('ACTIVE', 'SUSPENDED', 'REVOKED')),
  scopes text not null,
  requests_per_minute integer not null,
  monthly_quota integer not null,
  created_at integer not null,
  updated_at integer not null,
  primary key (tenant_id, id)
) strict;

-- Never the key: the SHA-256 of the whole of it.
create table stoa_api_key (
  id blob primary key,
  tenant_id blob not null,
  client_id blob not null,
  prefix text not null,
  last4 text not null,
  hash blob not null,
  environment text not null check (environment in ('test', 'live')),
  created_at integer not null,
  created_by blob not null,
  expires_at integer not null,
  last_used_at integer,
  revoked_at integer,
  revoked_by blob
) strict;
create index stoa_api_key_client on stoa_api_key (tenant_id, client_id, id);

-- Permits given out in the current window of each subject. `scope`: what the window limits. `leased`: what the last lease was
-- given of what it asked for.
create table stoa_permit (
  tenant_id blob not null,
  subject_id blob not null,
  scope text not null check (scope in ('MINUTE', 'MONTH')),
  window_start integer not null,
  used integer not null,
  leased integer not null,
  primary key (tenant_id, subject_id, scope)
) strict;
create index stoa_permit_age on stoa_permit (window_start) where scope = 'MINUTE';

-- How many requests of a client were admitted and denied, by day (UTC). `reason` is empty for those admitted.
create table stoa_api_usage (
  tenant_id blob not null,
  client_id blob not null,
  day text not null,
  result text not null,
  reason text not null default '',
  requests integer not null,
  primary key (tenant_id, client_id, day, result, reason)
) strict;

-- What is purged: an answer after a day, the row of a v7 key after nine, the tombstone of a v4 key never.
drop index stoa_idempotency_age;
create index stoa_idempotency_answer on stoa_idempotency (created_at) where body is not null;
create index stoa_idempotency_v7 on stoa_idempotency (created_at) where substr(hex(key), 13, 1) = '7';

create index stoa_audit_actor on stoa_audit (tenant_id, actor_id, id);
