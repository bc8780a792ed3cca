//! The gate that every module passes before it can be part of a generation: signature, compilation, imports, its own description.
//! A module that is not vetted is never linked; one that is not signed is not even compiled.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use http::StatusCode;
use stoa_descriptor::names::NamePattern;
use stoa_descriptor::{Descriptor, ServiceAccess};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::admission::{Role, Signer};
use super::artifact::{self, Artifact, check_imports};
use super::cache::Cache;
use super::compiler::Compiler;
use super::describe::{self, Declared};
use super::extensions;
use super::load::Loaded;
use super::precompiled::Precompiled;
use super::refusal::Refusal;
use super::surface;
use super::trust::Trust;
use crate::contract::Judged;
use crate::operations::HostNames;
use crate::sandbox::Generation;
use crate::sandbox::arrangement::{self, Arrangement};
use crate::sandbox::health::Health;
use crate::sandbox::judge::Judge;
use crate::sandbox::module::Vetted;

pub struct Gate {
    pub engine: Engine,
    /// Names that modules may build on and may not take.
    pub host: HostNames,
    /// Where compiled modules are kept.
    pub cache: Option<Cache>,
    /// Compiled modules of a release.
    pub precompiled: Option<Precompiled>,
    pub compiler: Compiler,
    /// Read again when the settings are.
    pub trust: ArcSwap<Trust>,
    /// Judges what the modules say that pass here.
    pub judge: Arc<Judge>,
}

/// Those of the services that a module imports in which it may act for callers who lack what they need: by one of its signer's
/// entries. A module that needs no signer acts in all.
fn find_grants(trust: &Trust, signer: Option<&str>, wanted: Vec<String>) -> BTreeSet<String> {
    let (Trust::Signed { by, .. }, Some(name)) = (trust, signer) else { return wanted.into_iter().collect() };
    let entries = || by.iter().filter(|entry| entry.name == name);
    wanted.into_iter().filter(|service| entries().any(|entry| entry.may_act_in(service))).collect()
}

/// Words with which names of a partner's modules may begin besides their own: by all entries of this signer.
fn find_granted_names(trust: &Trust, signer: Option<&str>) -> Vec<NamePattern> {
    let (Trust::Signed { by, .. }, Some(name)) = (trust, signer) else { return Vec::new() };
    let entries = by.iter().filter(|entry| entry.name == name && entry.role == Role::Partner);
    entries.flat_map(Signer::granted_names).cloned().collect()
}

/// Functions of a descriptor that the component does not offer, or that are stated twice.
fn unknown_functions(descriptor: &Descriptor, offered: &[(String, BTreeSet<String>)]) -> Vec<String> {
    let mut stated = BTreeSet::new();
    let is_known = |access: &ServiceAccess| {
        offered
            .iter()
            .any(|(interface, functions)| *interface == access.interface && functions.contains(&access.function))
    };
    let unknown = descriptor.services.iter().filter_map(|access| match stated.insert(access.name()) {
        false => Some(format!("the access of `{}` is stated twice", access.name())),
        true if !is_known(access) => Some(format!("`{}` is no function that the module offers", access.name())),
        true => None,
    });
    unknown.collect()
}

impl Gate {
    /// For verbs that serve no requests: a module that breaks its own declaration is rejected. `cache`: where compiled
    /// modules are kept.
    pub fn open(engine: &Engine, host: HostNames, cache: Option<Cache>) -> Gate {
        let judge = Arc::new(Judge::strict());
        Gate {
            engine: engine.clone(),
            host,
            cache,
            precompiled: None,
            compiler: Compiler::Here,
            trust: ArcSwap::from_pointee(Trust::Everything),
            judge,
        }
    }

    /// The generation of modules that were vetted, with this sequence of their extensions.
    pub fn link(&self, number: u64, vetted: &[Arc<Vetted>], arrangement: &Arrangement) -> Result<Generation, Refusal> {
        Ok(Generation::link(&self.engine, &self.host, number, vetted, arrangement)?)
    }

    pub fn takes_unsigned(&self) -> bool {
        self.trust.load().takes_unsigned()
    }

    pub fn vet(&self, artifact: &Artifact) -> Result<Vetted, Refusal> {
        let trust = self.trust.load_full();
        let vouched = trust.admit(&artifact.digest, artifact.admission.as_ref())?;
        let loaded = self.load(artifact)?;
        check_imports(&self.engine, &loaded.component)?;
        let text = self.describe(&artifact.digest, &loaded)?;
        let Loaded { component, judged } = loaded;
        let descriptor = describe::read(&text)?;
        if let Some((statement, signer)) = &vouched {
            statement.describes(&descriptor.name, &descriptor.version, &text)?;
            self.check_offers(signer, &descriptor.name, &component)?;
        }
        let invalid = |faults: Vec<String>| Refusal::new("DESCRIPTOR_INVALID", faults.join("; "));
        // Another process judged it before: schemas may take any time and memory to compile.
        judged?;
        let was_judged = self.cache.as_ref().is_some_and(|cache| cache.has_verdict(&artifact.digest));
        let judged = if was_judged { Judged::Before } else { Judged::Now };
        let Declared { schema, operations, events, shown } =
            describe::compile(judged, &descriptor, &self.host).map_err(invalid)?;
        if !was_judged && let Some(Err(error)) = self.cache.as_ref().map(|cache| cache.write_verdict(&artifact.digest))
        {
            tracing::warn!(%error, "the verdict on a module cannot be kept");
        }
        let wanted = surface::names_of_wanted(&self.engine, &component);
        let mut unknown = unknown_functions(&descriptor, &surface::list_offers(&self.engine, &component));
        unknown.extend(extensions::find_faults(&self.engine, &component, &descriptor));
        if !unknown.is_empty() {
            return Err(invalid(unknown));
        }
        let passes_on = !wanted.is_empty() || !descriptor.points.is_empty();
        let by_partner = vouched.as_ref().is_some_and(|(statement, _)| statement.role == Role::Partner);
        let signer = vouched.as_ref().map(|(statement, _)| statement.signer.as_str());
        let points = arrangement::list_points(&descriptor).into_iter();
        let health = Arc::new(Health::new(&descriptor.name, &descriptor.version, points));
        Ok(Vetted {
            digest: artifact.digest,
            size: artifact.bytes.len(),
            descriptor: Arc::new(descriptor),
            schema: Arc::new(schema),
            component,
            operations,
            events,
            shown,
            judge: self.judge.clone(),
            acts_in: ArcSwap::from_pointee(find_grants(&trust, signer, wanted)),
            by_partner,
            granted_names: ArcSwap::from_pointee(find_granted_names(&trust, signer)),
            passes_on,
            replaces_others: vouched.as_ref().is_none_or(|(_, signer)| signer.may_replace_others()),
            signer: vouched.map(|(statement, _)| statement.signer),
            health,
        })
    }

    /// A module that needs a service gets the highest version, from any module.
    fn check_offers(&self, signer: &Signer, module: &str, component: &Component) -> Result<(), Refusal> {
        let offered = surface::names_of_services(&self.engine, component);
        match offered.iter().find(|name| !signer.may_offer(module, name)) {
            Some(foreign) => {
                let what = format!("{} may offer no service `{foreign}` by `{module}`", signer.name);
                Err(Refusal::new("SIGNER_OUT_OF_REACH", what).with_status(StatusCode::FORBIDDEN))
            }
            None => Ok(()),
        }
    }

    /// Checks that a running module may still offer its services, by the trust of now: by one of its signer's keys.
    pub fn check_offers_again(&self, vetted: &Vetted) -> Result<(), Refusal> {
        let trust = self.trust.load_full();
        let (Trust::Signed { by, .. }, Some(name)) = (&*trust, &vetted.signer) else { return Ok(()) };
        let mut verdict = Ok(());
        for signer in by.iter().filter(|signer| signer.name == *name) {
            verdict = self.check_offers(signer, &vetted.descriptor.name, &vetted.component);
            if verdict.is_ok() {
                break;
            }
        }
        verdict
    }

    /// The services in which a module that runs may act for any caller, and the names that it may introduce, by trust as it is now.
    pub fn renew_grants(&self, vetted: &Vetted) {
        let wanted = surface::names_of_wanted(&self.engine, &vetted.component);
        let (trust, signer) = (self.trust.load(), vetted.signer.as_deref());
        vetted.acts_in.store(Arc::new(find_grants(&trust, signer, wanted)));
        vetted.granted_names.store(Arc::new(find_granted_names(&trust, signer)));
    }

    /// Every component of a folder, vetted.
    pub fn vet_folder(&self, folder: &Path) -> anyhow::Result<Vec<Arc<Vetted>>> {
        artifact::read_folder(folder)?
            .into_iter()
            .map(|(file, artifact)| {
                let vetted = self.vet(&artifact).map_err(|refusal| anyhow::anyhow!("{file}: {refusal}"))?;
                Ok(Arc::new(vetted))
            })
            .collect()
    }
}
