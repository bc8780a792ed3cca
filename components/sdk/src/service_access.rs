//! Permissions and scopes that callers must hold for the services that a module offers.

use stoa_descriptor as descriptor;

/// Permissions and scopes that the caller of a request must hold, all of them, for functions of a service. The host checks them,
/// except for modules whose signer lets them act for any caller.
#[derive(Clone, Copy)]
pub struct ServiceAccess {
    /// `commerce:sales/orders`.
    pub interface: &'static str,
    /// As WIT spells them.
    pub functions: &'static [&'static str],
    /// Permissions of users; an empty list: no user may.
    pub permissions: &'static [&'static str],
    /// Scopes of API clients; an empty list: no API client may.
    pub scopes: &'static [&'static str],
}

impl ServiceAccess {
    /// The permissions of users and the scopes of API clients for these functions of an interface.
    pub const fn new(
        interface: &'static str,
        functions: &'static [&'static str],
        permissions: &'static [&'static str],
        scopes: &'static [&'static str],
    ) -> ServiceAccess {
        ServiceAccess { interface, functions, permissions, scopes }
    }

    pub(crate) fn describe(&self) -> impl Iterator<Item = descriptor::ServiceAccess> {
        let texts = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect();
        self.functions.iter().map(move |function| descriptor::ServiceAccess {
            interface: self.interface.to_owned(),
            function: (*function).to_owned(),
            permissions: texts(self.permissions),
            scopes: texts(self.scopes),
        })
    }
}
