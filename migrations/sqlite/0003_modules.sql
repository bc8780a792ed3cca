-- Components as they were pushed. `admission`: the signed statement, absent only where --dev took a file of its modules folder.
create table stoa_artifact (
  digest blob primary key check (length(digest) = 32),
  name text not null,
  version text not null,
  signer text,
  admission text,
  bytes blob not null,
  pushed_at integer not null,
  pushed_by text not null
) strict;
create index stoa_artifact_name on stoa_artifact (name, pushed_at);

-- Every set of modules that was ever active, in order: the newest is the active one. Going back makes a new one.
-- `restores`: the generation whose modules this one has again. `allowed`: codes of breaking changes, sorted, by blanks.
create table stoa_generation (
  number integer primary key,
  cause text not null check (cause in ('FIRST', 'ACTIVATION', 'ROLLBACK', 'AUTOMATIC_ROLLBACK')),
  module text,
  restores integer,
  allowed text not null,
  reason text,
  activated_at integer not null,
  activated_by text not null
) strict;

create table stoa_generation_module (
  generation integer not null references stoa_generation (number),
  module text not null,
  digest blob not null references stoa_artifact (digest),
  primary key (generation, module)
) strict;

create trigger stoa_generation_update before update on stoa_generation begin select raise(abort, 'rows of stoa_generation are never changed'); end;
create trigger stoa_generation_delete before delete on stoa_generation begin select raise(abort, 'rows of stoa_generation are never changed'); end;
create trigger stoa_generation_module_update before update on stoa_generation_module begin select raise(abort, 'rows of stoa_generation_module are never changed'); end;
create trigger stoa_generation_module_delete before delete on stoa_generation_module begin select raise(abort, 'rows of stoa_generation_module are never changed'); end;

-- The hosts on this database: what each runs, and how its modules fare (JSON).
create table stoa_host (
  id blob primary key,
  name text not null,
  started_at integer not null,
  seen_at integer not null,
  generation integer not null,
  trouble text,
  health text not null
) strict;

-- Backfills after an activation: one row for each module whose version rose, worked through company by company.
create table stoa_upgrade (
  generation integer not null references stoa_generation (number),
  module text not null,
  from_version text not null,
  to_version text not null,
  -- The company under work; those with smaller ids are done.
  tenant_id blob,
  cursor text,
  batches integer not null,
  trouble text,
  retry_at integer,
  done_at integer,
  primary key (generation, module)
) strict;

-- What operators did and what they were refused, and what the host did on its own account.
create table stoa_operator_audit (
  id blob primary key,
  actor text not null,
  operation text not null,
  -- SUCCESS, or the code of the refusal.
  result text not null,
  metadata text not null,
  created_at integer not null
) strict;
create trigger stoa_operator_audit_update before update on stoa_operator_audit begin select raise(abort, 'rows of stoa_operator_audit are never changed'); end;
create trigger stoa_operator_audit_delete before delete on stoa_operator_audit begin select raise(abort, 'rows of stoa_operator_audit are never changed'); end;
