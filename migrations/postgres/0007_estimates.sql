-- Statements are planned once for all companies, as if each had its even share of a table: among very many small companies that is a
-- few rows, fewer than an index look-up seems to be worth, and a page of the largest would read all that it has. So the planner is told
-- that whoever asks has the whole table. ANALYZE takes it up. A company's table is told so where it is told its place.
create or replace function stoa_place(relation regclass, kind text) returns void language plpgsql as $$
begin
  if kind is null or kind not in ('company', 'everywhere', 'home') then
    raise exception 'tables of % are at no place', kind;
  end if;
  execute format('comment on table %s is %L', relation, 'place: ' || kind);
  if kind = 'company' and exists (
    select 1 from pg_attribute where attrelid = relation and attname = 'tenant_id' and not attisdropped
  ) then
    execute format('alter table %s alter column tenant_id set (n_distinct = 1)', relation);
  end if;
end $$;

select stoa_place(c.oid::regclass, 'company')
from pg_class c
where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
  and obj_description(c.oid, 'pg_class') = 'place: company';
