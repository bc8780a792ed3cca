//! Looks at a server and a database that may be out of order: it changes nothing.
