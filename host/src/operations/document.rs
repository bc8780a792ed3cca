//! The machine-readable contract as it is served: composed once a generation from the declarations of its operations.

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::contract::openapi;

pub struct Document {
    pub bytes: Bytes,
    /// With quotes.
    pub etag: String,
}

impl Document {
    /// `modules`: whoever declares operations, the host among them.
    pub fn compose(
        generation: u64,
        operations: &[openapi::DocumentedOperation<'_>],
        modules: &[openapi::DocumentedModule<'_>],
    ) -> Result<Document, String> {
        let info = openapi::Info {
            generation,
            build: env!("CARGO_PKG_VERSION"),
            description: "A multi-tenant commerce platform whose every domain is a sandboxed WebAssembly component.",
        };
        let document = openapi::compose(operations, modules, &info)
            .map_err(|why| format!("the contract cannot be composed: {why}"))?;
        let bytes = Bytes::from(serde_json::to_vec(&document).map_err(|error| error.to_string())?);
        Ok(Document { etag: format!("\"{}\"", hex::encode(Sha256::digest(&bytes))), bytes })
    }
}
