-- Tenants, people and what they may do.
create table stoa_tenant (
  id blob primary key,
  name text not null,
  status text not null check (status in ('ACTIVE', 'SUSPENDED')),
  country_code text,
  default_currency_code text not null,
  time_zone text not null default 'UTC',
  entitlements text not null default '[]',
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null
) strict;

create table stoa_user (
  id blob primary key,
  issuer text not null,
  subject text not null,
  email text not null,
  display_name text,
  created_at integer not null,
  updated_at integer not null,
  unique (issuer, subject)
) strict;

create table stoa_role (
  tenant_id blob not null,
  id blob not null,
  code text not null,
  name text not null,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  system integer not null default 0 check (system in (0, 1)),
  created_at integer not null,
  updated_at integer not null,
  primary key (tenant_id, id),
  unique (tenant_id, code)
) strict;

create table stoa_role_permission (
  tenant_id blob not null,
  role_id blob not null,
  permission text not null,
  primary key (tenant_id, role_id, permission)
) strict;

create table stoa_membership (
  tenant_id blob not null,
  id blob not null,
  user_id blob not null,
  status text not null check (status in ('ACTIVE', 'SUSPENDED')),
  created_at integer not null,
  updated_at integer not null,
  primary key (tenant_id, id),
  unique (tenant_id, user_id)
) strict;
create index stoa_membership_user on stoa_membership (user_id);

create table stoa_membership_role (
  tenant_id blob not null,
  membership_id blob not null,
  role_id blob not null,
  primary key (tenant_id, membership_id, role_id)
) strict;

-- One row per key and operation: the fingerprint of the first request and, with its commit, the answer. The nil blob stands
-- for "no tenant".
create table stoa_idempotency (
  tenant_id blob not null,
  actor_id blob not null,
  operation text not null,
  key blob not null,
  fingerprint blob not null,
  created_at integer not null,
  status integer,
  headers text,
  body blob,
  primary key (tenant_id, actor_id, operation, key)
) strict;
create index stoa_idempotency_age on stoa_idempotency (created_at);

-- Append-only.
create table stoa_audit (
  tenant_id blob not null,
  id blob not null,
  request_id blob not null,
  actor_type text not null,
  actor_id text not null,
  operation text not null,
  resource_type text not null,
  resource_id blob not null,
  subject_id blob,
  ip_address text,
  user_agent text,
  metadata text not null,
  created_at integer not null,
  primary key (tenant_id, id)
) strict;
create index stoa_audit_resource on stoa_audit (tenant_id, resource_id, id);
create index stoa_audit_subject on stoa_audit (tenant_id, subject_id, id);

create trigger stoa_audit_update before update on stoa_audit begin select raise(abort, 'rows of stoa_audit are never changed'); end;
create trigger stoa_audit_delete before delete on stoa_audit begin select raise(abort, 'rows of stoa_audit are never changed'); end;

-- The outbox: what happened, as integrators will hear of it.
create table stoa_event (
  tenant_id blob not null,
  id blob not null,
  kind text not null,
  resource_type text not null,
  resource_id blob not null,
  resource_version integer,
  data text not null,
  request_id blob not null,
  created_at integer not null,
  primary key (tenant_id, id)
) strict;

-- What the tables of each module were last made from.
create table stoa_collection (
  module text not null,
  name text not null,
  definition text not null,
  primary key (module, name)
) strict;

-- The next figure of each named sequence of a module.
create table stoa_sequence (
  tenant_id blob not null,
  module text not null,
  name text not null,
  next integer not null,
  primary key (tenant_id, module, name)
) strict;
