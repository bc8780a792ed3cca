-- Where the rows of each table are, so that companies can live on several servers:
--   company     where the company is: every unique key begins with its id
--   everywhere  at every place alike
--   home        at one place, for no company in particular
-- It writes the kind down as the table's comment. A deployment of several servers replaces it by a function that also puts the
-- table there; it is called for every new table, in the transaction that makes it.
create function stoa_place(relation regclass, kind text) returns void language plpgsql as $$
begin
  if kind is null or kind not in ('company', 'everywhere', 'home') then
    raise exception 'tables of % are at no place', kind;
  end if;
  execute format('comment on table %s is %L', relation, 'place: ' || kind);
end $$;

-- Which companies a user belongs to, so that the user's companies are asked and no others. Written with the membership; a row
-- without one costs a look and tells nobody anything.
create table stoa_user_company (
  user_id uuid not null,
  tenant_id uuid not null,
  primary key (user_id, tenant_id)
);
create index stoa_user_company_tenant on stoa_user_company (tenant_id);
insert into stoa_user_company (user_id, tenant_id) select user_id, tenant_id from stoa_membership;
drop index stoa_membership_user;

select stoa_place('stoa_tenant', 'company');
select stoa_place('stoa_role', 'company');
select stoa_place('stoa_role_permission', 'company');
select stoa_place('stoa_membership', 'company');
select stoa_place('stoa_membership_role', 'company');
select stoa_place('stoa_idempotency', 'company');
select stoa_place('stoa_audit', 'company');
select stoa_place('stoa_audit_subject', 'company');
select stoa_place('stoa_event', 'company');
select stoa_place('stoa_sequence', 'company');
select stoa_place('stoa_api_client', 'company');
select stoa_place('stoa_permit', 'company');
select stoa_place('stoa_api_usage', 'company');

select stoa_place('stoa_user', 'everywhere');
-- Found by the key's id alone, before its company is known.
select stoa_place('stoa_api_key', 'everywhere');

select stoa_place('stoa_user_company', 'home');
select stoa_place('stoa_collection', 'home');
select stoa_place('stoa_artifact', 'home');
select stoa_place('stoa_generation', 'home');
select stoa_place('stoa_generation_module', 'home');
select stoa_place('stoa_host', 'home');
-- Its tenant is a mark of how far a backfill came.
select stoa_place('stoa_upgrade', 'home');
select stoa_place('stoa_operator_audit', 'home');

-- The tables that modules have by now.
select stoa_place(c.oid::regclass, 'company')
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname not like 'stoa\_%';

-- A wait for a lock ends too where a connection's own settings do not reach: a deployment of several servers has roles and their
-- settings on all of them. Of this role in this database: a role that serves and did not migrate is given it by hand.
do $$ begin
  execute format('alter role %I in database %I set lock_timeout = %L', current_user, current_database(), '3s');
end $$;
