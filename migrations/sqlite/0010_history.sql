-- A company that brings its past in: its clock stands at `history_at` while it does. `history_from`: where the clock began. `history_until`: where
-- it stood when the history ended; records made at or before it are history.
alter table stoa_tenant add column history_from integer;
alter table stoa_tenant add column history_at integer;
alter table stoa_tenant add column history_until integer;
