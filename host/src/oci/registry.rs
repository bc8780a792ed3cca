//! A module on its way from a registry, and to one.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use reqwest::{Response, Url};
use tokio::time::timeout;

use super::connection::{AddressRule, RegistryConnection, RegistryRequest, read_body};
use super::digest::OciDigest;
use super::fault::RegistryFault;
use super::image::{self, ADMISSION_TYPE, INDEX, MANIFEST, OciContent, OciDescriptor, Publication, add_to_index};
use super::reference::ModuleReference;
use crate::gate::admission::Admission;

/// How long everything of a module may take on its way, here and there.
const FETCH: Duration = Duration::from_secs(120);
const PUBLISH: Duration = Duration::from_secs(600);
/// Bytes of a manifest and of an index.
const LARGEST_MANIFEST: usize = 1 << 20;
/// Admissions of one image that are read.
const ADMISSIONS: usize = 16;

/// A component from a registry, with its admissions.
pub struct PulledModule {
    /// The digest of the image.
    pub image: OciDigest,
    pub component: Bytes,
    /// Each with the digest of its manifest.
    pub admissions: Vec<(OciDigest, Admission)>,
}

pub struct Registry {
    connection: RegistryConnection,
    reference: ModuleReference,
    /// How long a module may take on its way here.
    patience: Duration,
}

impl Registry {
    pub fn open(
        reference: &ModuleReference,
        rule: AddressRule,
        credentials: Option<HeaderValue>,
    ) -> Result<Registry, RegistryFault> {
        let connection = RegistryConnection::new(reference, rule, credentials)?;
        Ok(Registry { connection, reference: reference.clone(), patience: FETCH })
    }

    /// Fetches the component of the reference and its admissions.
    pub async fn pull(&mut self) -> Result<PulledModule, RegistryFault> {
        let patience = self.patience;
        timeout(patience, self.pull_slowly()).await.map_err(|_| RegistryFault::Slow(patience))?
    }

    /// Sends a component and its admission. The tag is set at the end: who finds it finds all of it.
    pub async fn publish(&mut self, tag: &str, publication: &Publication) -> Result<(), RegistryFault> {
        let sent = timeout(PUBLISH, self.publish_slowly(tag, publication));
        sent.await.map_err(|_| RegistryFault::Slow(PUBLISH))?
    }

    async fn pull_slowly(&mut self) -> Result<PulledModule, RegistryFault> {
        let unnamed = || RegistryFault::Malformed(format!("`{}` has neither tag nor digest", self.reference));
        let name = self.reference.manifest_name().ok_or_else(unnamed)?;
        let manifest = self.find_manifest(&name).await?;
        let manifest = manifest.ok_or_else(|| RegistryFault::NotFound(self.reference.to_string()))?;
        let image = OciDigest::from_content(&manifest);
        if self.reference.digest.is_some_and(|digest| digest != image) {
            return Err(RegistryFault::OtherBytes(self.reference.to_string()));
        }
        let layer = image::find_component(&manifest)?;
        let component = self.read_blob(&layer, "the component").await?;
        let mut admissions = Vec::new();
        for listed in self.list_admissions(image).await?.into_iter().take(ADMISSIONS) {
            // Every user who may write there can leave garbage: it hides no other admission.
            match self.read_admission(&listed, image).await {
                Ok(admission) => admissions.push((listed.digest, admission)),
                Err(
                    fault @ (RegistryFault::Malformed(_)
                    | RegistryFault::TooLarge(..)
                    | RegistryFault::OtherBytes(_)
                    | RegistryFault::NotFound(_)),
                ) => tracing::warn!(%fault, manifest = %listed.digest, "an admission in a registry is not used"),
                Err(fault) => return Err(fault),
            }
        }
        Ok(PulledModule { image, component, admissions })
    }

    /// The manifests that refer to the image: from the registry's own list, else from the tag that replaces it.
    async fn list_admissions(&mut self, image: OciDigest) -> Result<Vec<OciDescriptor>, RegistryFault> {
        let mut address = self.connection.address(&format!("referrers/{image}"))?;
        address.query_pairs_mut().append_pair("artifactType", ADMISSION_TYPE);
        let response = self.ask(Method::GET, address, &[(header::ACCEPT, INDEX)]).await?;
        let listed = match response.status() {
            StatusCode::OK => image::list_admissions(&read_body(response, LARGEST_MANIFEST, "an index").await?),
            StatusCode::NOT_FOUND => Vec::new(),
            status => return Err(RegistryFault::Status("the list of admissions".to_owned(), status)),
        };
        if !listed.is_empty() {
            return Ok(listed);
        }
        let index = self.find_manifest(&image.referrers_tag()).await?;
        Ok(index.map(|index| image::list_admissions(&index)).unwrap_or_default())
    }

    async fn read_admission(&mut self, listed: &OciDescriptor, image: OciDigest) -> Result<Admission, RegistryFault> {
        let name = listed.digest.to_string();
        let manifest = self.find_manifest(&name).await?.ok_or_else(|| RegistryFault::NotFound(name.clone()))?;
        if OciDigest::from_content(&manifest) != listed.digest {
            return Err(RegistryFault::OtherBytes(name));
        }
        let layer = image::find_admission(&manifest, image)?;
        let text = self.read_blob(&layer, "the admission").await?;
        serde_json::from_slice(&text).map_err(|_| RegistryFault::Malformed(format!("{name} is no admission")))
    }

    /// A manifest or an index by its tag or digest.
    async fn find_manifest(&mut self, name: &str) -> Result<Option<Bytes>, RegistryFault> {
        let address = self.connection.address(&format!("manifests/{name}"))?;
        let response = self.ask(Method::GET, address, &[(header::ACCEPT, MANIFEST), (header::ACCEPT, INDEX)]).await?;
        match response.status() {
            StatusCode::OK => read_body(response, LARGEST_MANIFEST, "a manifest").await.map(Some),
            StatusCode::NOT_FOUND => Ok(None),
            status => Err(RegistryFault::Status(format!("the manifest {name}"), status)),
        }
    }

    /// The content of a descriptor, whose size the caller has judged.
    async fn read_blob(&mut self, blob: &OciDescriptor, name: &'static str) -> Result<Bytes, RegistryFault> {
        let address = self.connection.address(&format!("blobs/{}", blob.digest))?;
        let response = self.ask(Method::GET, address, &[]).await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => return Err(RegistryFault::NotFound(format!("blob {}", blob.digest))),
            status => return Err(RegistryFault::Status(name.to_owned(), status)),
        }
        let bytes = read_body(response, blob.size, name).await?;
        let is_whole = OciDigest::from_content(&bytes) == blob.digest;
        is_whole.then_some(bytes).ok_or_else(|| RegistryFault::OtherBytes(blob.digest.to_string()))
    }

    async fn publish_slowly(&mut self, tag: &str, publication: &Publication) -> Result<(), RegistryFault> {
        let image = &publication.image;
        let found = self.find_manifest(tag).await?.map(|manifest| OciDigest::from_content(&manifest));
        if let Some(other) = found.filter(|found| *found != image.descriptor.digest) {
            let what = format!("the tag {tag} is that of {other}: another component takes another version");
            return Err(RegistryFault::Forbidden(what));
        }
        for blob in &publication.blobs {
            self.send_blob(blob).await?;
        }
        self.send_manifest(&image.descriptor.digest.to_string(), MANIFEST, image.bytes.clone()).await?;
        let admission = &publication.admission;
        let name = admission.descriptor.digest.to_string();
        let response = self.send_manifest(&name, MANIFEST, admission.bytes.clone()).await?;
        // A registry that does not say that it noticed has no list of its own.
        if !response.headers().contains_key("oci-subject") {
            self.list_under_tag(image.descriptor.digest, &admission.descriptor).await?;
        }
        self.send_manifest(tag, MANIFEST, image.bytes.clone()).await?;
        Ok(())
    }

    async fn list_under_tag(&mut self, image: OciDigest, admission: &OciDescriptor) -> Result<(), RegistryFault> {
        let tag = image.referrers_tag();
        let index = self.find_manifest(&tag).await?;
        let extended = serde_json::to_value(admission).map_err(anyhow::Error::from);
        let extended = extended.and_then(|entry| add_to_index(index.as_deref(), &entry));
        let extended =
            extended.map_err(|error| RegistryFault::Malformed(format!("the index of the tag {tag}: {error}")))?;
        self.send_manifest(&tag, INDEX, extended.into()).await?;
        Ok(())
    }

    async fn send_blob(&mut self, blob: &OciContent) -> Result<(), RegistryFault> {
        let address = self.connection.address(&format!("blobs/{}", blob.descriptor.digest))?;
        if self.ask(Method::HEAD, address, &[]).await?.status() == StatusCode::OK {
            return Ok(());
        }
        let uploads = self.connection.address("blobs/uploads/")?;
        let begun = self.ask(Method::POST, uploads.clone(), &[]).await?;
        if begun.status() != StatusCode::ACCEPTED {
            return Err(RegistryFault::Status("an upload".to_owned(), begun.status()));
        }
        let mut address = self.connection.read_location(&uploads, &begun)?;
        address.query_pairs_mut().append_pair("digest", &blob.descriptor.digest.to_string());
        self.put("a blob", address, "application/octet-stream", blob.bytes.clone()).await?;
        Ok(())
    }

    async fn send_manifest(&mut self, name: &str, kind: &'static str, bytes: Bytes) -> Result<Response, RegistryFault> {
        let address = self.connection.address(&format!("manifests/{name}"))?;
        self.put("a manifest", address, kind, bytes).await
    }

    async fn put(
        &mut self,
        name: &str,
        address: Url,
        kind: &'static str,
        body: Bytes,
    ) -> Result<Response, RegistryFault> {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
        let response = self.connection.send(&RegistryRequest { method: Method::PUT, address, headers, body }).await?;
        match response.status() {
            StatusCode::CREATED => Ok(response),
            status => Err(RegistryFault::Status(name.to_owned(), status)),
        }
    }

    /// A request without a body.
    async fn ask(
        &mut self,
        method: Method,
        address: Url,
        stated: &[(HeaderName, &'static str)],
    ) -> Result<Response, RegistryFault> {
        let mut headers = HeaderMap::new();
        for (name, value) in stated {
            headers.append(name, HeaderValue::from_static(value));
        }
        self.connection.send(&RegistryRequest { method, address, headers, body: Bytes::new() }).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_registry_that_says_nothing_is_left() {
        // Connections wait there, and no thread takes them.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = silent.local_addr().expect("an address");
        let reference = format!("oci://{address}/acme/loyalty:1.0.0").parse().expect("a reference");
        let registry = Registry::open(&reference, AddressRule::Any, None).expect("a registry");
        let pulled = Registry { patience: Duration::from_millis(50), ..registry }.pull().await;
        assert!(matches!(pulled.err(), Some(RegistryFault::Slow(_))));
    }
}
