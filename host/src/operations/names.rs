//! Names that the host itself introduces in addition to its operations. They are passed in at start: the code that
//! judges modules by them is below the owner.

/// Names that modules may build on and may not take.
#[derive(Debug, Clone, Copy)]
pub struct HostNames {
    /// Under which the host's own operations, permissions and scopes are published.
    pub module: &'static str,
    /// Permissions with what they allow.
    pub permissions: &'static [(&'static str, &'static str)],
    /// Scopes with what they allow.
    pub scopes: &'static [(&'static str, &'static str)],
    /// Kinds of events.
    pub events: &'static [&'static str],
    /// Filters of the audit list.
    pub audit_filters: &'static [&'static str],
    /// Members of the body that makes a company.
    pub onboarding: &'static [&'static str],
}
