//! `stoa module precompile`: compiles before a first start what that start would compile: into the cache of this
//! deployment, under its own key, or to a folder that a release brings along.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::cli;
use crate::gate::artifact;
use crate::gate::cache::Cache;
use crate::gate::compiler::{self, Compiler};
use crate::gate::precompiled;
use crate::gate::vetting::Gate;
use crate::sandbox::engine;
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    /// An empty folder for a release: code for every processor of this architecture. Prints the value of STOA_PRECOMPILED_SHA256 for
    /// its hosts.
    #[arg(long)]
    #[serde(skip)]
    out: Option<PathBuf>,
    /// Data folder of the host, which contains the cache of compiled modules.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,
    /// Folder of the modules of the first generation.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    modules_dir: Option<PathBuf>,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let out = flags.out.clone();
    let settings = Settings::load(flags)?;
    match out {
        Some(folder) => write_release(&settings, &folder),
        None => fill_cache(&settings),
    }
}

/// Nothing is trusted here that a start would not trust: signatures are judged when a host takes the module.
fn fill_cache(settings: &Settings) -> anyhow::Result<()> {
    let cache = Cache::open(&settings.module_cache_dir())?;
    let compiler = Compiler::apart(settings.sandbox(), settings.limits().large_memory)?;
    let gate = Gate { cache: None, precompiled: None, compiler, ..cli::gate(settings)? };
    for (file, artifact) in artifact::read_folder(&settings.modules_dir())? {
        if cache.read(&gate.engine, &artifact.digest).is_none() {
            eprintln!("compiling {file}");
            let loaded = gate.load(&artifact).and_then(|loaded| loaded.judged.map(|()| loaded.component));
            let component = loaded.map_err(|refusal| anyhow::anyhow!("{file}: {refusal}"))?;
            cache.write(&gate.engine, &artifact.digest, &component)?;
        }
    }
    Ok(())
}

fn write_release(settings: &Settings, folder: &Path) -> anyhow::Result<()> {
    let (sandbox, memory) = (settings.sandbox(), settings.limits().large_memory);
    let engine = engine::build_portable(sandbox, memory).map_err(|error| anyhow::anyhow!("{error:#}"))?;
    // Where there is a cache, the next release finds what this one compiles.
    let cache = settings.module_cache();
    let mut code = Vec::new();
    for (file, artifact) in artifact::read_folder(&settings.modules_dir())? {
        let kept = cache.as_ref().and_then(|cache| cache.read_code(&engine, &artifact.digest));
        let compiled = match kept {
            Some(compiled) => compiled,
            None => {
                eprintln!("compiling {file}");
                let compiled = compiler::compile_portable(sandbox, memory, &artifact.bytes)
                    .map_err(|error| anyhow::anyhow!("{file}: {error:#}"))?;
                if let Some(cache) = &cache {
                    cache.write_code(&engine, &artifact.digest, &compiled)?;
                }
                compiled
            }
        };
        code.push((artifact.digest, compiled));
    }
    let list = precompiled::write(folder, &engine::compatibility(&engine), &code)?;
    println!("{}", hex::encode(list));
    Ok(())
}
