//! `GET /v1/docs`: the reference for people. A renderer that was taken over whole shows the contract with the guide before it;
//! all of it comes from this host, compressed once, and the page's policy lets nothing else in.

mod document;

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use axum::body::Body;
use http::{HeaderMap, HeaderValue, Response, header};

use crate::deployment::Edition;
use crate::http::file::File;
use crate::problem::Problem;

/// Content policy of a page of the reference: it may run the scripts of this host and call it. The renderer writes its
/// styles itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

static PAGE: LazyLock<File> = LazyLock::new(|| File::pack(HTML, include_bytes!("page.html")));
static SCRIPT: LazyLock<File> = LazyLock::new(|| File::pack(JAVASCRIPT, include_bytes!("page.js")));
static RENDERER: LazyLock<File> = LazyLock::new(|| {
    File::of_gzip(JAVASCRIPT, include_bytes!("../../../vendor/scalar/api-reference-1.72.1.js.gz").as_slice().into())
});
static LICENCES: LazyLock<File> = LazyLock::new(|| {
    let parts = [include_str!("../../../vendor/scalar/LICENSE"), include_str!("../../../vendor/scalar/NOTICES.txt")];
    File::pack(TEXT, parts.join("\n").as_bytes())
});

/// A part of the reference.
#[derive(Clone, Copy)]
pub enum Part {
    Page,
    Script,
    Renderer,
    Licences,
    Document,
}

impl Part {
    /// The part at a path.
    pub fn at(path: &str) -> Option<Part> {
        Some(match path {
            "/v1/docs" => Part::Page,
            "/v1/docs/page.js" => Part::Script,
            "/v1/docs/renderer.js" => Part::Renderer,
            "/v1/docs/licences.txt" => Part::Licences,
            "/v1/docs/reference.json" => Part::Document,
            _ => return None,
        })
    }
}

/// The reference of one host. The document that it shows is made once for each contract.
#[derive(Default)]
pub struct Reference {
    shown: Mutex<Option<Shown>>,
}

#[derive(Clone)]
struct Shown {
    /// Tag of the contract that it was made from.
    etag: String,
    file: Arc<File>,
}

impl Reference {
    pub async fn respond(&self, part: Part, edition: &Edition, headers: &HeaderMap) -> Result<Response<Body>, Problem> {
        let mut response = match part {
            Part::Page => PAGE.respond(headers),
            Part::Script => SCRIPT.respond(headers),
            Part::Renderer => RENDERER.respond(headers),
            Part::Licences => LICENCES.respond(headers),
            Part::Document => self.document(edition).await?.respond(headers),
        };
        let extra_headers = [
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            // Asked for again each time, and sent where it has changed: a swap of modules changes it.
            (header::CACHE_CONTROL, "no-cache"),
        ];
        for (name, value) in extra_headers {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        Ok(response)
    }

    async fn document(&self, edition: &Edition) -> Result<Arc<File>, Problem> {
        let known = self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.etag == edition.contract.etag) {
            return Ok(known.file);
        }
        let (contract, generation) = (edition.contract.bytes.clone(), edition.generation.clone());
        let make = move || {
            let problems = generation.modules.iter().flat_map(|module| &module.descriptor.problems);
            File::pack(JSON, &document::compose(&contract, problems))
        };
        // Some ten milliseconds of work.
        let made = tokio::task::spawn_blocking(make).await.map_err(|error| {
            tracing::error!(%error, "the reference cannot be composed");
            Problem::new("INTERNAL")
        })?;
        let shown = Shown { etag: edition.contract.etag.clone(), file: Arc::new(made) };
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown.clone());
        Ok(shown.file)
    }
}
