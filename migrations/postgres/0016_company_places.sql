-- The place of each company that is not on the home server. Only the home server's rows count.
create table stoa_company_place (
  tenant_id uuid primary key,
  place text not null check (length(place) between 1 and 63),
  changed_at timestamptz(3) not null
);
create index stoa_company_place_changed_at on stoa_company_place (changed_at);
select stoa_place('stoa_company_place', 'home');

-- Each place has the rows of the active generation, and none of the artifacts.
alter table stoa_generation_module drop constraint if exists stoa_generation_module_digest_fkey;

-- A company that is on its way to another place is read and not written.
alter table stoa_tenant drop constraint stoa_tenant_status_check;
alter table stoa_tenant add constraint stoa_tenant_status_check check (status in ('ACTIVE', 'SUSPENDED', 'MOVING'));

-- Companies on their way from one place to another (`stoa tenant move`). COPYING: the old place has the company. SWITCHED: the new place
-- has it and is not open yet. OPEN: it is. OLD_ROWS: the old place has rows to purge. `carried`: rows that the new place gets when it opens.
create table stoa_move (
  tenant_id uuid primary key,
  source text not null,
  target text not null,
  step text not null check (step in ('COPYING', 'SWITCHED', 'OPEN', 'OLD_ROWS')),
  carried text,
  started_at timestamptz(3) not null,
  changed_at timestamptz(3) not null
);
select stoa_place('stoa_move', 'home');

-- Written where a company is and copied with its rows: the number says how far the copy has come.
create table stoa_move_mark (
  tenant_id uuid primary key,
  mark bigint not null
);
select stoa_place('stoa_move_mark', 'home');
