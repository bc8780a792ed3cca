-- An answer is kept until it is purged. The request's end writes no column that an index names.
alter table stoa_idempotency add column kept integer not null default 1 check (kept in (0, 1));
update stoa_idempotency set kept = 0 where body is null;
drop index stoa_idempotency_answer;
create index stoa_idempotency_answer on stoa_idempotency (created_at) where kept;
