-- How often a backfill has failed so far.
alter table stoa_upgrade add column tries bigint not null default 0;
