-- What an audit entry was about besides its resource: a price change names every product whose prices it changed. Append-only, like
-- the entries; read by subject, newest first.
drop index stoa_audit_subject;
create table stoa_audit_subject (
  tenant_id uuid not null,
  subject_id uuid not null,
  audit_id uuid not null,
  primary key (tenant_id, subject_id, audit_id)
);
insert into stoa_audit_subject (tenant_id, subject_id, audit_id)
  select tenant_id, subject_id, id from stoa_audit where subject_id is not null;
alter table stoa_audit drop column subject_id;

create trigger append_only before update or delete on stoa_audit_subject for each row execute function stoa_append_only();
create trigger append_only_truncate before truncate on stoa_audit_subject for each statement execute function stoa_append_only();
