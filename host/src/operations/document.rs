//! The machine-readable contract as it is served: composed once a generation from the declarations of its operations.

use std::sync::OnceLock;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::contract::openapi;

pub struct Document {
    pub bytes: Bytes,
    /// With quotes.
    pub etag: String,
    /// The same bytes in gzip, made for the first who takes them so.
    pub packed: OnceLock<Bytes>,
}

/// What the contract says of itself.
const DESCRIPTION: &str = "A multi-tenant commerce platform whose every domain is a sandboxed WebAssembly component.\n\n\
    Schemas are of JSON Schema 2020-12, with keywords of this service's own where it has none. `x-normalize`: what becomes of a \
    text before it is judged (`trim`, `upper`, `lower`, `decimal`). Of a value of any shape, with all that it holds: `x-maxValues`, \
    how many values it is (objects, arrays and scalars, itself included; TOO_MANY); `x-maxDepth`, how many objects and arrays \
    stand inside one another (itself included), and `x-maxCharacters`, how many characters its compact JSON has (RANGE). A body \
    of far more values than its schema can allow is refused as TOO_MANY without a place.";

impl Document {
    /// `modules`: whoever declares operations, the host among them.
    pub fn compose(
        generation: u64,
        operations: &[openapi::DocumentedOperation<'_>],
        modules: &[openapi::DocumentedModule<'_>],
    ) -> Result<Document, String> {
        let info = openapi::Info { generation, build: env!("CARGO_PKG_VERSION"), description: DESCRIPTION };
        let document = openapi::compose(operations, modules, &info)
            .map_err(|why| format!("the contract cannot be composed: {why}"))?;
        let bytes = Bytes::from(serde_json::to_vec(&document).map_err(|error| error.to_string())?);
        let etag = format!("\"{}\"", hex::encode(Sha256::digest(&bytes)));
        Ok(Document { bytes, etag, packed: OnceLock::new() })
    }
}
