//! Extensions are replaced under load, and no request fails.
