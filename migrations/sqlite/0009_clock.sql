-- What the purge goes by: never by a time that nobody has seen for a day. One row. `seen_at`: the newest look at the clock; `next_mark`: a look
-- that becomes `mark` a day later; `mark`: the newest that was seen at least a day ago.
create table stoa_clock (
  id integer primary key check (id = 1),
  mark integer,
  next_mark integer not null,
  seen_at integer not null
) strict;
