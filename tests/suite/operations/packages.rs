//! The release folder, as an operator installs it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;
use stoa_tests::folder::Folder;
use stoa_tests::release::{follow_six_commands, page, release};
use stoa_tests::tour::blocks_of;
use stoa_tests::{debian, host, npm, record};

stoa_tests::tests![
    a_release_is_verified_without_its_programs,
    a_release_is_the_same_a_second_time,
    every_linked_package_is_in_the_sbom_and_has_a_notice,
    systemd_accepts_the_unit,
    deployment_files_name_settings_that_exist,
    six_commands_suffice_on_a_bare_system,
    an_image_is_built_and_serves,
];

/// Runs the page's block that verifies a release; whether it accepts it.
fn verify(folder: &Path, signer: &str) -> bool {
    let page = page("packages.md");
    let [block] = &blocks_of("bash", &page)[..] else { panic!("one way to verify a release") };
    assert!(block.contains("openssl pkeyutl -verify") && !block.contains("stoa "), "{block}");
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("set -euo pipefail\n{block}")]).current_dir(folder).env("SIGNER", signer);
    shell.output().expect("cannot run bash").status.success()
}

fn a_release_is_verified_without_its_programs() {
    let place = Folder::new("verify");
    let folder = release().unpack(place.path());
    let signer = &release().signer;
    assert!(verify(&folder, signer));
    let other =
        host::program().args(["module", "keygen", "--name", "other", "--out"]).arg(place.path().join("k")).output();
    let other = String::from_utf8(other.expect("cannot run stoa").stdout).expect("a signer");
    assert!(!verify(&folder, other.trim()), "another key signed it");
    // Every file is listed: one byte more in any of them is found.
    for name in
        ["stoa", "stoa-import", "modules/catalog.wasm", "precompiled/precompiled.json", "NOTICES.txt", "SHA256SUMS"]
    {
        let file = folder.join(name);
        let bytes = fs::read(&file).expect("a file of the release");
        fs::write(&file, [&bytes[..], b"\n"].concat()).expect("written");
        assert!(!verify(&folder, signer), "{name} was touched");
        fs::write(&file, bytes).expect("written");
    }
    assert!(verify(&folder, signer));
    let listed = fs::read_to_string(folder.join("SHA256SUMS")).expect("the list").lines().count();
    let found = run(Command::new("find").args([".", "-type", "f"]).current_dir(&folder));
    let found = String::from_utf8_lossy(&found.stdout).lines().count();
    assert_eq!(found, listed + 3, "all but the list, its signature and the key that the page writes");
}

/// Two releases of one build, in folders that were made at different times.
fn a_release_is_the_same_a_second_time() {
    if let Err(why) = npm::may_fetch() {
        return record::tell_not_run("operations::packages a second release", &why);
    }
    let place = Folder::new("again");
    let again = release().make_again(place.path().join("out"));
    let bytes = |file: &PathBuf| fs::read(file).expect("an archive");
    assert!(bytes(&again.archive) == bytes(&release().archive), "the archives differ");
}

/// Compared with `cargo tree`, which does not depend on the verb.
fn every_linked_package_is_in_the_sbom_and_has_a_notice() {
    let folder = &release().folder;
    let text = fs::read_to_string(folder.join("sbom.cdx.json")).expect("the SBOM");
    let sbom: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!(sbom["specVersion"], "1.6");
    let components = sbom["components"].as_array().expect("components");
    let purls: BTreeSet<&str> = components.iter().filter_map(|component| component["purl"].as_str()).collect();
    let notices = fs::read_to_string(folder.join("NOTICES.txt")).expect("the notices");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--offline", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]);
    tree.args(["--package", "stoa", "--package", "stoa-import", "--package", "catalog", "--package", "ledger"]);
    let output = run(tree.current_dir(host::workspace()));
    let linked: BTreeSet<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    let mut count = 0;
    for line in linked.iter().filter(|line| !line.is_empty()) {
        let (name, rest) = line.split_once(" v").expect("a name and a version");
        let version = rest.split(' ').next().expect("a version");
        assert!(purls.contains(format!("pkg:cargo/{name}@{version}").as_str()), "{name} {version}");
        // The workspace's own packages have a path.
        if !rest.contains('/') {
            assert!(notices.contains(&format!("\n{name} {version} (")), "no notice of {name} {version}");
            count += 1;
        }
    }
    assert!(count > 100, "{count} packages of others");
    assert!(purls.iter().any(|purl| purl.starts_with("pkg:npm/")), "the reference's script");
    assert!(purls.iter().all(|purl| !purl.contains("/proptest@")), "only tests use it");
}

fn systemd_accepts_the_unit() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        return record::tell_not_run("operations::packages the unit", "there is no systemd-analyze");
    }
    let place = Folder::new("unit");
    let text = fs::read_to_string(host::workspace().join("deploy/systemd/stoa.service")).expect("the unit");
    assert!(text.contains("ExecStart=/opt/stoa/stoa serve"), "{text}");
    // The program must be there.
    let binary = release().folder.join("stoa").display().to_string();
    fs::write(place.path().join("stoa.service"), text.replace("/opt/stoa/stoa", &binary)).expect("written");
    let analyze = |words: &[&str]| {
        run(Command::new("systemd-analyze").args(words).arg("./stoa.service").current_dir(place.path()))
    };
    let verified = analyze(&["verify"]);
    assert!(verified.stderr.is_empty(), "{}", String::from_utf8_lossy(&verified.stderr));
    analyze(&["security", "--offline=true", "--threshold=20"]);
}

/// Compose and Helm have no program here: their files are read as YAML, with the values of the chart.
fn deployment_files_name_settings_that_exist() {
    const READ: &str = r#"
import json, re, sys, yaml
root = sys.argv[1]
read = lambda name: open(f"{root}/{name}").read()
values = yaml.safe_load(read("helm/stoa/values.yaml"))
chart = yaml.safe_load(read("helm/stoa/Chart.yaml"))
def fill(match):
    words = match.group(1).strip("- ").split()
    quotes = words[-2:] == ["|", "quote"]
    path = (words[1] if words[0] == "toJson" else words[0]).split(".")[1:]
    value = {"Release": {"Name": "trial"}, "Values": values}
    for word in path: value = value[word]
    return json.dumps(value) if quotes or words[0] == "toJson" else str(value)
names = set()
def walk(node):
    if isinstance(node, dict):
        if str(node.get("name", "")).startswith("STOA_"): names.add(node["name"])
        for one in node.values(): walk(one)
    if isinstance(node, list):
        for one in node: walk(one)
for name in ["deployment", "service", "migrate", "podmonitor"]:
    text = re.sub(r"\{\{- (if|end)[^}]*\}\}", "", read(f"helm/stoa/templates/{name}.yaml"))
    text = re.sub(r"\{\{(.*?)\}\}", fill, text)
    for document in yaml.safe_load_all(text):
        assert document["kind"] and document["metadata"]["name"].startswith("trial"), document
        walk(document)
compose = yaml.safe_load(read("compose/compose.yml"))
assert {"postgres", "identity", "migrate", "stoa"} == set(compose["services"])
names.update(name for name in compose["services"]["stoa"]["environment"])
yaml.safe_load(read("compose/dex.yml"))
print("\n".join(sorted(names)))
"#;
    let deploy = host::workspace().join("deploy");
    let output = Command::new("python3").args(["-c", READ]).arg(&deploy).output();
    let output = match output {
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("No module named 'yaml'") => output,
        _ => return record::tell_not_run("operations::packages the YAML files", "there is no python3 with PyYAML"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    assert!(names.len() >= 9, "{names:?}");
    for file in ["docker/Dockerfile", "systemd/stoa.service"] {
        let text = fs::read_to_string(deploy.join(file)).expect("a file");
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        names.extend(words.filter(|word| word.starts_with("STOA_")).map(str::to_owned));
    }
    let settings = page("settings.md");
    for name in names {
        assert!(settings.contains(&format!("`{name}`")), "{name} is no setting");
    }
}

fn six_commands_suffice_on_a_bare_system() {
    let system = match debian::system() {
        Ok(system) => system,
        Err(why) => return record::tell_not_run("operations::packages on a bare system", &why),
    };
    let place = format!("opt/test-{}", std::process::id());
    let folder = release().unpack(&system.join(&place));
    let inside = format!("/{place}/{}", folder.file_name().expect("a name").display());
    // Nothing of this machine but its kernel and its loopback address.
    let mut shell = Command::new("unshare");
    shell.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    shell.arg(format!("--root={}", system.display())).arg(format!("--wd={inside}")).arg("bash");
    shell.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/root");
    follow_six_commands(&folder, &mut shell, "stoa_bare_system");
    fs::remove_dir_all(system.join(place)).expect("removed");
}

/// The base is a system of the suite's own: no registry of images is asked.
fn an_image_is_built_and_serves() {
    const PACKAGES: &[&str] = &["buildah", "golang-github-containers-common", "golang-github-containers-image"];
    const BUILD: &str = r#"
buildah() { "$PROGRAMS/usr/bin/buildah" --root "$PWD/images" --runroot "$PWD/run" --storage-driver vfs "$@"; }
echo '{"default": [{"type": "insecureAcceptAnything"}]}' > policy.json
tar -C "$SYSTEM" --exclude=./proc --exclude=./dev --exclude=./sys --exclude=./opt -cf base.tar .
base=$(buildah from --signature-policy policy.json scratch)
buildah add "$base" base.tar / > /dev/null
rm base.tar
buildah commit --rm --signature-policy policy.json "$base" localhost/base
buildah bud --isolation chroot --signature-policy policy.json --format docker --build-arg BASE=localhost/base \
    --build-arg PRECOMPILED_SHA256="$(cat "$RELEASE/precompiled.sha256")" \
    -f "$RELEASE/deploy/docker/Dockerfile" -t localhost/stoa "$RELEASE"
image=$(buildah from --signature-policy policy.json localhost/stoa)
buildah run --isolation chroot --env STOA_LISTEN="127.0.0.1:$PORT" --env STOA_PRIVATE_LISTEN="127.0.0.1:$PRIVATE" \
    --env STOA_ENCRYPTION_KEY="$(openssl rand -hex 32)" --env STOA_TRUSTED_SIGNERS="$SIGNER" \
    --env STOA_OIDC_ISSUER=https://people.example --env STOA_OIDC_AUDIENCE=shop "$image" -- bash -c "$CHECK"
"#;
    let found = debian::programs(PACKAGES).and_then(|programs| Ok((programs, debian::system()?)));
    let (programs, system) = match found {
        Ok(found) => found,
        Err(why) => return record::tell_not_run("operations::packages the image", &why),
    };
    let file = fs::read_to_string(host::workspace().join("deploy/docker/Dockerfile")).expect("the Dockerfile");
    let health =
        file.lines().find_map(|line| line.trim().strip_prefix("CMD [\"bash\", \"-c\", ")).expect("a health check");
    let health: String =
        serde_json::from_str(health.trim_end_matches(']')).unwrap_or_else(|error| panic!("{error}: {health}"));
    let [port, private] = [free_port(), free_port()];
    let check = format!(
        "id -u; stoa serve & trap 'kill %1; wait' EXIT\n\
         health() {{ ( {}; ) 2> /dev/null; }}\n\
         for _ in $(seq 300); do health && break; sleep 0.1; done\n\
         health && curl -sS http://127.0.0.1:{private}/metrics | grep ^stoa_modules_loaded_total",
        health.replace("8080", &port),
    );
    // Not in memory: layers are some gigabytes.
    let place = host::workspace().join("target/test-image");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("a folder");
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("set -euo pipefail\n{BUILD}")]).current_dir(&place);
    shell.env("PROGRAMS", &programs).env("SYSTEM", system).env("RELEASE", &release().folder);
    shell.env("CONTAINERS_CONF", programs.join("usr/share/containers/containers.conf"));
    shell.env("SIGNER", &release().signer).env("PORT", &port).env("PRIVATE", &private).env("CHECK", check);
    let output = shell.output().expect("cannot run bash");
    let _ = fs::remove_dir_all(&place);
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if said.contains("error while loading shared libraries") {
        return record::tell_not_run("operations::packages the image", said.lines().next().unwrap_or_default());
    }
    assert!(output.status.success(), "{printed}\n{said}");
    assert!(printed.contains("\n10001\n") && printed.contains("{from=\"release\"} 8"), "{printed}\n{said}");
}

fn free_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port().to_string()
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}
