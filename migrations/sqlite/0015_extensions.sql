-- The extensions of each point of a generation, in the sequence in which they are called.
create table stoa_generation_point (
  generation integer not null references stoa_generation (number),
  point text not null,
  position integer not null,
  module text not null,
  primary key (generation, point, position)
) strict;
create trigger stoa_generation_point_update before update on stoa_generation_point begin select raise(abort, 'rows of stoa_generation_point are never changed'); end;
create trigger stoa_generation_point_delete before delete on stoa_generation_point begin select raise(abort, 'rows of stoa_generation_point are never changed'); end;

-- How far a module received a company's events after their commit. A failure is tried again at `retry_at`.
create table stoa_listener (
  tenant_id blob not null,
  module text not null,
  last_event blob not null,
  tries integer not null default 0,
  trouble text,
  retry_at integer,
  primary key (tenant_id, module)
) strict;

-- The rounds of a timer: from `since` to `until`, worked through company by company. `tenant_id`: the company under work, or the last
-- one that is done.
create table stoa_timer (
  module text not null,
  code text not null,
  since integer,
  until integer not null,
  tenant_id blob,
  cursor text,
  batches integer not null default 0,
  done_at integer,
  primary key (module, code)
) strict;

-- Companies that a round left behind because their batch failed, and the window of each.
create table stoa_timer_lag (
  tenant_id blob not null,
  module text not null,
  code text not null,
  since integer,
  until integer not null,
  cursor text,
  tries integer not null,
  trouble text not null,
  retry_at integer not null,
  primary key (tenant_id, module, code)
) strict;
create index stoa_timer_lag_due on stoa_timer_lag (retry_at);
