-- The place of each company that is not on the home server. An embedded database has no other server: the table stays empty.
create table stoa_company_place (
  tenant_id blob primary key not null,
  place text not null check (length(place) between 1 and 63),
  changed_at integer not null
) strict, without rowid;
create index stoa_company_place_changed_at on stoa_company_place (changed_at);

-- Companies are moved between PostgreSQL servers only.
create table stoa_move (
  tenant_id blob primary key,
  source text not null,
  target text not null,
  step text not null check (step in ('COPYING', 'SWITCHED', 'OPEN', 'OLD_ROWS')),
  carried text,
  started_at integer not null,
  changed_at integer not null
) strict;
create table stoa_move_mark (
  tenant_id blob primary key,
  mark integer not null
) strict;
