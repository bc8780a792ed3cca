//! A compiled component: kept from before, brought along with a release, or compiled now and judged apart.

use wasmtime::component::Component;

use super::artifact::Artifact;
use super::describe;
use super::refusal::Refusal;
use super::vetting::Gate;

/// A compiled component. `judged`: the verdict of another process on the descriptor of one that was compiled just now. Only
/// components that passed are kept, so one that was kept needs no other verdict.
pub struct Loaded {
    pub component: Component,
    pub judged: Result<(), Refusal>,
}

impl Gate {
    /// A component: from the cache where it is there, else from the release, else compiled, judged and kept.
    pub fn load(&self, artifact: &Artifact) -> Result<Loaded, Refusal> {
        let (engine, digest) = (&self.engine, &artifact.digest);
        let load = |from| metrics::counter!("stoa_modules_loaded_total", "from" => from).increment(1);
        if let Some(component) = self.cache.as_ref().and_then(|cache| cache.read(engine, digest)) {
            load("cache");
            return Ok(Loaded { component, judged: Ok(()) });
        }
        if let Some(component) = self.precompiled.as_ref().and_then(|brought| brought.read(engine, digest)) {
            load("release");
            return Ok(Loaded { component: self.keep(digest, component), judged: Ok(()) });
        }
        tracing::info!(
            "compiling {} KiB, which takes a while; the next start finds it done",
            artifact.bytes.len() >> 10
        );
        let component = self.compiler.compile(engine, &artifact.bytes).map_err(|why| {
            Refusal::new("DESCRIPTOR_INVALID", format!("not a component that this host can run: {why:#}"))
        })?;
        load("compiler");
        let judged = describe::text(engine, &component).and_then(|text| {
            describe::compare_with_section(&artifact.bytes, &text)?;
            self.compiler.judge(&text)
        });
        let component = match &judged {
            Err(refused) => {
                tracing::warn!(%refused, "another process rejected the descriptor of a new module");
                component
            }
            Ok(()) => self.keep(digest, component),
        };
        Ok(Loaded { component, judged })
    }

    /// The description that a component returns of itself. It depends on the component's bytes alone, so one that passed is asked
    /// once.
    pub fn describe(&self, digest: &[u8; 32], loaded: &Loaded) -> Result<String, Refusal> {
        let cache = self.cache.as_ref().filter(|_| loaded.judged.is_ok());
        if let Some(text) = cache.and_then(|cache| cache.read_description(digest)) {
            return Ok(text);
        }
        let text = describe::text(&self.engine, &loaded.component)?;
        if let Some(Err(error)) = cache.map(|cache| cache.write_description(digest, &text)) {
            tracing::warn!(%error, "the description of a module cannot be kept");
        }
        Ok(text)
    }

    /// Keeps a component, and returns it as it is kept: mapped. A host that cannot keep it runs it all the same.
    fn keep(&self, digest: &[u8; 32], component: Component) -> Component {
        let Some(cache) = &self.cache else { return component };
        if let Err(error) = cache.write(&self.engine, digest, &component) {
            tracing::warn!(%error, "a compiled module cannot be kept");
        }
        cache.read(&self.engine, digest).unwrap_or(component)
    }
}
