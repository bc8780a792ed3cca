-- What an audit entry was about besides its resource: a price change names every product whose prices it changed. Append-only, like
-- the entries; read by subject, newest first.
drop index stoa_audit_subject;
create table stoa_audit_subject (
  tenant_id blob not null,
  subject_id blob not null,
  audit_id blob not null,
  primary key (tenant_id, subject_id, audit_id)
) strict, without rowid;
insert into stoa_audit_subject (tenant_id, subject_id, audit_id)
  select tenant_id, subject_id, id from stoa_audit where subject_id is not null;
alter table stoa_audit drop column subject_id;

create trigger stoa_audit_subject_update before update on stoa_audit_subject begin select raise(abort, 'rows of stoa_audit_subject are never changed'); end;
create trigger stoa_audit_subject_delete before delete on stoa_audit_subject begin select raise(abort, 'rows of stoa_audit_subject are never changed'); end;
