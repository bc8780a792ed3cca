//! The gate that every module passes before it can be part of a generation: signature, compilation, imports, its own description.
//! What is not vetted is never linked; what is not signed is not even compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_descriptor::{Descriptor, EventKind};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::admission::Signer;
use super::artifact::{Artifact, check_imports};
use super::cache::Cache;
use super::compiler::Compiler;
use super::describe;
use super::health::Health;
use super::judge::{Judge, Kind};
use super::refusal::Refusal;
use super::surface::Surface;
use crate::http::routes::Checked;
use crate::store::Schema;

pub struct Gate {
    pub engine: Engine,
    /// Where compiled modules are kept.
    pub cache: Option<Cache>,
    pub compiler: Compiler,
    pub trust: Trust,
    /// Judges what the modules say that pass here.
    pub judge: Arc<Judge>,
}

/// Whose modules are taken.
pub enum Trust {
    /// Whatever is there: for verbs that serve nobody and hold nothing that is not the author's or the operator's own.
    Everything,
    /// What one of these signed. `unsigned`: with --dev, what nobody signed as well: the files of its modules folder.
    Signed { by: Vec<Signer>, unsigned: bool },
}

/// A module that may run here. Generations that have it share it.
pub struct Vetted {
    pub digest: [u8; 32],
    /// Bytes of the component.
    pub size: usize,
    pub descriptor: Arc<Descriptor>,
    pub schema: Arc<Schema>,
    pub component: Component,
    pub routes: Vec<Arc<Checked>>,
    /// The event kinds that it may emit.
    pub events: BTreeMap<String, Arc<Kind>>,
    pub judge: Arc<Judge>,
    /// Who vouched for it; nobody for what --dev took from its folder.
    pub signer: Option<String>,
    pub health: Arc<Health>,
}

impl Gate {
    /// For verbs that serve nobody: breaches of a module's own word are refused. `cache`: where compiled modules are kept.
    pub fn open(engine: &Engine, cache: Option<Cache>) -> Gate {
        let judge = Arc::new(Judge::strict());
        Gate { engine: engine.clone(), cache, compiler: Compiler::Here, trust: Trust::Everything, judge }
    }

    pub fn takes_unsigned(&self) -> bool {
        matches!(self.trust, Trust::Signed { unsigned: true, .. })
    }

    pub fn vet(&self, artifact: &Artifact) -> Result<Vetted, Refusal> {
        let statement = match (&self.trust, &artifact.admission) {
            (Trust::Everything, _) | (Trust::Signed { unsigned: true, .. }, None) => None,
            (Trust::Signed { by, .. }, Some(admission)) => Some(admission.verified(&artifact.digest, by)?),
            (Trust::Signed { unsigned: false, .. }, None) => {
                return Err(Refusal::new("SIGNATURE_MISSING", "nobody signed this module"));
            }
        };
        let component = self.component(artifact)?;
        check_imports(&self.engine, &component)?;
        let text = describe::text(&self.engine, &component)?;
        let descriptor = describe::read(&text)?;
        if let Some(statement) = &statement {
            statement.describes(&descriptor.name, &descriptor.version, &text)?;
        }
        let invalid = |faults: Vec<String>| Refusal::new("DESCRIPTOR_INVALID", faults.join("; "));
        let faults = describe::faults(&descriptor);
        if !faults.is_empty() {
            return Err(invalid(faults));
        }
        let schema = Schema::new(&descriptor.name, &descriptor.collections).map_err(invalid)?;
        let routes = descriptor
            .routes
            .iter()
            .map(|route| Checked::of(route.clone(), &descriptor.schemas).map(Arc::new))
            .collect::<Result<_, _>>()
            .map_err(|fault| invalid(vec![fault]))?;
        let kind = |kind: &EventKind| Ok((kind.code.clone(), Arc::new(Kind::compile(kind, &descriptor.schemas)?)));
        let events =
            descriptor.events.iter().map(kind).collect::<Result<_, _>>().map_err(|fault| invalid(vec![fault]))?;
        let health = Arc::new(Health::new(&descriptor.name, &descriptor.version));
        Ok(Vetted {
            digest: artifact.digest,
            size: artifact.bytes.len(),
            descriptor: Arc::new(descriptor),
            schema: Arc::new(schema),
            component,
            routes,
            events,
            judge: self.judge.clone(),
            signer: statement.map(|statement| statement.signer),
            health,
        })
    }

    /// The compiled component: from the cache where it is there.
    pub fn component(&self, artifact: &Artifact) -> Result<Component, Refusal> {
        let compile = || self.compiler.compile(&self.engine, &artifact.bytes);
        let compiled = match &self.cache {
            Some(cache) => cache.component(&self.engine, &artifact.digest, compile),
            None => compile(),
        };
        compiled.map_err(|why| {
            Refusal::new("DESCRIPTOR_INVALID", format!("not a component that this host can run: {why:#}"))
        })
    }
}

impl Vetted {
    /// What it shows to the world.
    pub fn surface(&self, engine: &Engine) -> Surface {
        Surface::new(engine, &self.component, (*self.descriptor).clone(), &self.digest, self.size as u64)
    }
}
