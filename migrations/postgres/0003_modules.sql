-- Components as they were pushed. `admission`: the signed statement, absent only where --dev took a file of its modules folder.
create table stoa_artifact (
  digest bytea primary key check (octet_length(digest) = 32),
  name text not null,
  version text not null,
  signer text,
  admission text,
  bytes bytea not null,
  pushed_at timestamptz(3) not null,
  pushed_by text not null
);
-- Components are compressed already as far as it pays here.
alter table stoa_artifact alter column bytes set storage external;
create index stoa_artifact_name on stoa_artifact (name, pushed_at);

-- Every set of modules that was ever active, in order: the newest is the active one. Going back makes a new one.
-- `restores`: the generation whose modules this one has again. `allowed`: codes of breaking changes, sorted, by blanks.
create table stoa_generation (
  number bigint primary key,
  cause text not null check (cause in ('FIRST', 'ACTIVATION', 'ROLLBACK', 'AUTOMATIC_ROLLBACK')),
  module text,
  restores bigint,
  allowed text not null,
  reason text,
  activated_at timestamptz(3) not null,
  activated_by text not null
);

create table stoa_generation_module (
  generation bigint not null references stoa_generation,
  module text not null,
  digest bytea not null references stoa_artifact,
  primary key (generation, module)
);

create trigger append_only before update or delete on stoa_generation
  for each row execute function stoa_append_only();
create trigger append_only before update or delete on stoa_generation_module
  for each row execute function stoa_append_only();

-- The hosts on this database: what each runs, and how its modules fare (JSON).
create table stoa_host (
  id uuid primary key,
  name text not null,
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  generation bigint not null,
  trouble text,
  health text not null
);

-- Backfills after an activation: one row for each module whose version rose, worked through company by company.
create table stoa_upgrade (
  generation bigint not null references stoa_generation,
  module text not null,
  from_version text not null,
  to_version text not null,
  -- The company under work; those with smaller ids are done.
  tenant_id uuid,
  cursor text,
  batches bigint not null,
  trouble text,
  retry_at timestamptz(3),
  done_at timestamptz(3),
  primary key (generation, module)
);

-- What operators did and what they were refused, and what the host did on its own account.
create table stoa_operator_audit (
  id uuid primary key,
  actor text not null,
  operation text not null,
  -- SUCCESS, or the code of the refusal.
  result text not null,
  metadata text not null,
  created_at timestamptz(3) not null
);
create trigger append_only before update or delete on stoa_operator_audit
  for each row execute function stoa_append_only();
