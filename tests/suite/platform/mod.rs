//! The platform's own operations: companies, their people, API clients, settings, limits and audit.

mod api_clients;
mod audit_list;
mod company_settings;
mod directory;
mod governance;
mod heavy_reads;
mod history;
mod iam_commands;
mod iam_lists;
mod large_answers;
mod last_version;
mod onboarding_checklist;
mod oversight;
mod revocation;
mod tenant_cli;
