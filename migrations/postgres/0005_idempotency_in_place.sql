-- An answer is kept until it is purged. The request's end writes no column that an index names, and pages leave room for it:
-- PostgreSQL then leaves all indexes of the row alone.
alter table stoa_idempotency add column kept boolean not null default false;
alter table stoa_idempotency alter column kept set default true;
update stoa_idempotency set kept = true where body is not null;
drop index stoa_idempotency_answer;
create index stoa_idempotency_answer on stoa_idempotency (created_at) where kept;

alter table stoa_idempotency set (fillfactor = 70);
alter table stoa_sequence set (fillfactor = 70);
alter table stoa_permit set (fillfactor = 70);
alter table stoa_api_usage set (fillfactor = 70);
