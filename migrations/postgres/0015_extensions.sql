-- The extensions of each point of a generation, in the sequence in which they are called.
create table stoa_generation_point (
  generation bigint not null references stoa_generation,
  point text not null,
  position bigint not null,
  module text not null,
  primary key (generation, point, position)
);
create trigger append_only before update or delete on stoa_generation_point
  for each row execute function stoa_append_only();

-- How far a module received a company's events after their commit. A failure is tried again at `retry_at`.
create table stoa_listener (
  tenant_id uuid not null,
  module text not null,
  last_event uuid not null,
  tries bigint not null default 0,
  trouble text,
  retry_at timestamptz(3),
  primary key (tenant_id, module)
);

-- The rounds of a timer: from `since` to `until`, worked through company by company. `tenant_id`: the company under work, or the last
-- one that is done.
create table stoa_timer (
  module text not null,
  code text not null,
  since timestamptz(3),
  until timestamptz(3) not null,
  tenant_id uuid,
  cursor text,
  batches bigint not null default 0,
  done_at timestamptz(3),
  primary key (module, code)
);

-- Companies that a round left behind because their batch failed, and the window of each.
create table stoa_timer_lag (
  tenant_id uuid not null,
  module text not null,
  code text not null,
  since timestamptz(3),
  until timestamptz(3) not null,
  cursor text,
  tries bigint not null,
  trouble text not null,
  retry_at timestamptz(3) not null,
  primary key (tenant_id, module, code)
);
create index stoa_timer_lag_due on stoa_timer_lag (retry_at);

select stoa_place('stoa_generation_point', 'home');
select stoa_place('stoa_listener', 'company');
select stoa_place('stoa_timer', 'home');
select stoa_place('stoa_timer_lag', 'company');
