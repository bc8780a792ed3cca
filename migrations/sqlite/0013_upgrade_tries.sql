-- How often a backfill has failed so far.
alter table stoa_upgrade add column tries integer not null default 0;
