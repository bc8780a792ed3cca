-- Which companies a user belongs to, so that the user's companies are asked and no others. Written with the membership; a row
-- without one costs a look and tells nobody anything.
create table stoa_user_company (
  user_id blob not null,
  tenant_id blob not null,
  primary key (user_id, tenant_id)
) strict, without rowid;
create index stoa_user_company_tenant on stoa_user_company (tenant_id);
insert into stoa_user_company (user_id, tenant_id) select user_id, tenant_id from stoa_membership;
drop index stoa_membership_user;
