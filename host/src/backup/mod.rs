//! Copies of a whole deployment: written while hosts serve, and read into an empty database.
