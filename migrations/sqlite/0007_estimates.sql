-- SQLite plans without figures of how many companies there are: nothing to tell it.
select 1;
