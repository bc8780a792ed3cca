//! Modules in registries (OCI distribution specification 1.1). A component is an image of one layer, as `wkg` writes
//! it; each admission is a manifest of its own that refers to the image. A registry is not trusted: all that it sends
//! is read up to a limit and compared with the digest that names it, and the admission is judged as that of any push.

pub mod challenge;
pub mod connection;
pub mod credentials;
pub mod digest;
pub mod fault;
pub mod image;
pub mod interfaces;
pub mod layout;
pub mod reference;
pub mod registries;
pub mod registry;
