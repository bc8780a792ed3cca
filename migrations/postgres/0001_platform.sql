-- Tenants, people and what they may do.
create table stoa_tenant (
  id uuid primary key,
  name text not null,
  status text not null check (status in ('ACTIVE', 'SUSPENDED')),
  country_code text,
  default_currency_code text not null,
  time_zone text not null default 'UTC',
  entitlements text not null default '[]',
  version bigint not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table stoa_user (
  id uuid primary key,
  issuer text not null,
  subject text not null,
  email text not null,
  display_name text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (issuer, subject)
);

create table stoa_role (
  tenant_id uuid not null,
  id uuid not null,
  code text not null,
  name text not null,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  system boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, code)
);

create table stoa_role_permission (
  tenant_id uuid not null,
  role_id uuid not null,
  permission text not null,
  primary key (tenant_id, role_id, permission)
);

create table stoa_membership (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  status text not null check (status in ('ACTIVE', 'SUSPENDED')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, user_id)
);
create index stoa_membership_user on stoa_membership (user_id);

create table stoa_membership_role (
  tenant_id uuid not null,
  membership_id uuid not null,
  role_id uuid not null,
  primary key (tenant_id, membership_id, role_id)
);

-- One row per key and operation: the fingerprint of the first request and, with its commit, the answer. The nil uuid stands
-- for "no tenant".
create table stoa_idempotency (
  tenant_id uuid not null,
  actor_id uuid not null,
  operation text not null,
  key uuid not null,
  fingerprint bytea not null,
  created_at timestamptz(3) not null,
  status bigint,
  headers text,
  body bytea,
  primary key (tenant_id, actor_id, operation, key)
);
create index stoa_idempotency_age on stoa_idempotency (created_at);

-- Append-only.
create table stoa_audit (
  tenant_id uuid not null,
  id uuid not null,
  request_id uuid not null,
  actor_type text not null,
  actor_id text not null,
  operation text not null,
  resource_type text not null,
  resource_id uuid not null,
  subject_id uuid,
  ip_address text,
  user_agent text,
  metadata text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create index stoa_audit_resource on stoa_audit (tenant_id, resource_id, id);
create index stoa_audit_subject on stoa_audit (tenant_id, subject_id, id);

create function stoa_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger append_only before update or delete on stoa_audit for each row execute function stoa_append_only();
create trigger append_only_truncate before truncate on stoa_audit for each statement execute function stoa_append_only();

-- The outbox: what happened, as integrators will hear of it.
create table stoa_event (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  resource_type text not null,
  resource_id uuid not null,
  resource_version bigint,
  data text not null,
  request_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);

-- What the tables of each module were last made from.
create table stoa_collection (
  module text not null,
  name text not null,
  definition text not null,
  primary key (module, name)
);

-- The next figure of each named sequence of a module.
create table stoa_sequence (
  tenant_id uuid not null,
  module text not null,
  name text not null,
  next bigint not null,
  primary key (tenant_id, module, name)
);
