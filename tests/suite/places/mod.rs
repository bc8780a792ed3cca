//! Companies on several PostgreSQL servers: here, on several databases of one server. Each is where the directory says, a request
//! touches one of them, and one that is away takes nobody else with it.

mod activation;
mod companies;
mod containment;
mod moves;
mod standby;
