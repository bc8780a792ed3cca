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

/// Introduction of the contract.
const DESCRIPTION: &str = "A multi-tenant commerce platform. Every domain is a sandboxed WebAssembly component.\n\n\
    Schemas use JSON Schema 2020-12 and these additional keywords. `x-normalize`: normalization of a text, before its validation \
    (`trim`) or after it (`upper`, `lower`, `decimal`). No text may have the character U+0000 (FORMAT). Three keywords limit a free JSON value. `x-maxValues`: number of objects, arrays and \
    scalars in it, itself included (TOO_MANY). `x-maxDepth`: nesting of objects and arrays, itself included. `x-maxCharacters`: \
    characters of its compact JSON (both RANGE). A body with far more values than its schema allows is rejected as TOO_MANY \
    without a pointer.";

impl Document {
    /// `modules`: all that declare operations, the host among them.
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
