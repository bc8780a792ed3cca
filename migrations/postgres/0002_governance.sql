-- Machines that call on a company's behalf. Scopes: sorted, separated by blanks.
create table stoa_api_client (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  environment text not null check (environment in ('test', 'live')),
  status text not null check (status in ('ACTIVE', 'SUSPENDED', 'REVOKED')),
  scopes text not null,
  requests_per_minute bigint not null,
  monthly_quota bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);

-- Never the key: the SHA-256 of the whole of it.
create table stoa_api_key (
  id uuid primary key,
  tenant_id uuid not null,
  client_id uuid not null,
  prefix text not null,
  last4 text not null,
  hash bytea not null,
  environment text not null check (environment in ('test', 'live')),
  created_at timestamptz(3) not null,
  created_by uuid not null,
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by uuid
);
create index stoa_api_key_client on stoa_api_key (tenant_id, client_id, id);

-- Permits given out in the current window of each subject. `scope`: what the window limits. `leased`: what the last lease was
-- given of what it asked for.
create table stoa_permit (
  tenant_id uuid not null,
  subject_id uuid not null,
  scope text not null check (scope in ('MINUTE', 'MONTH')),
  window_start timestamptz(3) not null,
  used bigint not null,
  leased bigint not null,
  primary key (tenant_id, subject_id, scope)
);
create index stoa_permit_age on stoa_permit (window_start) where scope = 'MINUTE';

-- How many requests of a client were admitted and denied, by day (UTC). `reason` is empty for those admitted.
create table stoa_api_usage (
  tenant_id uuid not null,
  client_id uuid not null,
  day text not null,
  result text not null,
  reason text not null default '',
  requests bigint not null,
  primary key (tenant_id, client_id, day, result, reason)
);

-- What is purged: an answer after a day, the row of a v7 key after nine, the tombstone of a v4 key never.
drop index stoa_idempotency_age;
create index stoa_idempotency_answer on stoa_idempotency (created_at) where body is not null;
create index stoa_idempotency_v7 on stoa_idempotency (created_at) where get_byte(uuid_send(key), 6) / 16 = 7;

create index stoa_audit_actor on stoa_audit (tenant_id, actor_id, id);
