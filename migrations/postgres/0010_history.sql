-- A company that brings its past in: its clock stands at `history_at` while it does. `history_from`: where the clock began. `history_until`: where
-- it stood when the history ended; records made at or before it are history.
alter table stoa_tenant
  add column history_from timestamptz(3),
  add column history_at timestamptz(3),
  add column history_until timestamptz(3);
