-- The role of the hosts owns its database, is not a superuser, and has no password: it can only log in on the loopback address.
create role stoa login;
create database stoa owner stoa;
