//! Checks of settings, database and deployment, each with a remedy.
