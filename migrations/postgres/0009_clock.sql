-- What the purge goes by: never by a time that nobody has seen for a day. One row. `seen_at`: the newest look at the clock; `next_mark`: a look
-- that becomes `mark` a day later; `mark`: the newest that was seen at least a day ago.
create table stoa_clock (
  id bigint primary key check (id = 1),
  mark timestamptz(3),
  next_mark timestamptz(3) not null,
  seen_at timestamptz(3) not null
);
select stoa_place('stoa_clock', 'home');
