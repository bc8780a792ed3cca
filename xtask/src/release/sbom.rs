//! The list of a release's packages, for tools: CycloneDX 1.6. The same packages give the same text.

use anyhow::Result;
use serde_json::{Value as Json, json};

use super::shipped::{Shipped, ShippedPackage};
use crate::check::vendored::Vendored;

pub fn write(shipped: &Shipped) -> Result<String> {
    let version = env!("CARGO_PKG_VERSION");
    let packages = &shipped.packages;
    let components =
        packages.iter().map(component).chain(shipped.vendored.iter().map(|(_, file)| file_component(file)));
    let dependencies = packages.iter().map(|package| {
        let others = package.dependencies.iter().filter_map(|place| packages.get(*place));
        json!({ "ref": purl(package), "dependsOn": others.map(purl).collect::<Vec<_>>() })
    });
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": "release",
            "name": "stoa",
            "version": version,
            "licenses": [{ "expression": env!("CARGO_PKG_LICENSE") }],
        }},
        "components": components.collect::<Vec<_>>(),
        "dependencies": dependencies.collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn component(package: &ShippedPackage) -> Json {
    let mut component = json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": package.name,
        "version": package.version,
        "purl": purl(package),
        "licenses": [{ "expression": package.licence }],
    });
    if let Some(checksum) = &package.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

/// A file of a package of npm; the digest is the file's.
fn file_component(file: &Vendored) -> Json {
    let purl = format!("pkg:npm/{}@{}", file.package.replace('@', "%40"), file.version);
    json!({
        "type": "library",
        "bom-ref": purl,
        "name": file.package,
        "version": file.version,
        "purl": purl,
        "licenses": [{ "expression": file.licence }],
        "hashes": [{ "alg": "SHA-256", "content": file.sha256 }],
    })
}

fn purl(package: &ShippedPackage) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}
