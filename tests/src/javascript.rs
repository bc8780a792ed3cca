//! The example module in JavaScript as a component, built once for each content of its sources and of the interface.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::host::workspace;
use crate::npm;

/// The source files of the component.
const FILES: &[&str] = &[
    "package.json",
    "package-lock.json",
    "build.mjs",
    "src/descriptor.js",
    "src/module.js",
    "src/values.js",
    "src/voucher.js",
];

/// Where the example lies.
pub fn source() -> PathBuf {
    workspace().join("components/examples/javascript")
}

/// The component's file. `Err` holds why it cannot be built on this machine.
pub fn component() -> Result<PathBuf, String> {
    let wit = workspace().join("wit/platform");
    let name = format!("{}-{}.wasm", npm::digest(&source(), FILES), npm::digest(&wit, &["platform.wit"]));
    let file = workspace().join("target/javascript").join(name);
    if !file.is_file() {
        let installed = npm::install("modules::other_languages", &source(), FILES)?;
        let built = installed.folder.join("built.wasm");
        let output = Command::new("node")
            .arg("build.mjs")
            .args([&built, &wit])
            .current_dir(&installed.folder)
            .output()
            .map_err(|error| format!("node cannot be run: {error}"))?;
        assert!(output.status.success(), "no component: {}", String::from_utf8_lossy(&output.stderr));
        fs::create_dir_all(file.parent().expect("a file in target")).expect("cannot make a folder in target");
        // Whole or not at all: another run of the suite may be reading it.
        fs::rename(&built, &file).expect("cannot move to target/javascript");
    }
    Ok(file)
}

/// The descriptor as it is written, before a host has read it.
pub fn descriptor() -> serde_json::Value {
    let print = "import('./src/descriptor.js').then((file) => console.log(JSON.stringify(file.descriptor)))";
    let output = Command::new("node").args(["--eval", print]).current_dir(source()).output().expect("node runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}
