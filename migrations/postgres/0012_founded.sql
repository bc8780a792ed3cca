-- Whether the user founded the company. Only these rows count as a user's companies of the day: a user who makes others
-- members of new companies does not use up theirs.
alter table stoa_user_company add column founded boolean not null default false;
