//! Companies on several PostgreSQL servers: here, on several databases of one server. Each is where the directory says, a request
//! touches one of them, and one that is down takes no other down.

mod activation;
mod companies;
mod containment;
mod moves;
mod standby;
