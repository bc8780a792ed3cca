//! The operators' side of a host: its private listener, the signer that a `--dev` host trusts, and `stoa module`.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::host::RUNTIME;
use crate::{Answer, Folder, Stoa};

/// Someone who may change what runs on a host.
#[derive(Clone)]
pub struct Operator {
    host: Stoa,
    pub token: String,
}

/// A component with the admission that goes with it.
#[derive(Clone)]
pub struct Signed {
    pub bytes: Vec<u8>,
    /// As the header takes it: JSON in base64.
    pub admission: String,
}

impl Stoa {
    /// The operator whose token `--dev` left in the data folder.
    pub fn console(&self) -> Operator {
        let file = self.data_folder().join("operator.token");
        let token = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Operator { host: self.clone(), token: token.trim().to_string() }
    }

    /// An operator with a token of the settings.
    pub fn console_with(&self, token: &str) -> Operator {
        Operator { host: self.clone(), token: token.to_string() }
    }

    /// Signs by the key that this `--dev` host trusts.
    pub fn signed(&self, bytes: &[u8]) -> Signed {
        signed_by(&self.data_folder().join("dev-signer.key"), bytes)
    }
}

impl Stoa {
    /// The report of a verification of these companies: by the running host's private listener, and by `stoa verify`
    /// where the host does not run or has no operator of `--dev`.
    #[track_caller]
    pub fn verify(&self, tenants: &[&str]) -> Json {
        if self.has_dev_operator() && self.is_running() {
            return self.console().post("verify", json!({ "tenantIds": tenants })).is(200).body;
        }
        let mut command = self.command();
        command.args(["verify", "--json"]).args(tenants.iter().flat_map(|tenant| ["--tenant", tenant]));
        let output = command.output().expect("cannot run `stoa verify`");
        let complained = String::from_utf8_lossy(&output.stderr);
        let report: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {complained}"));
        let is_clean = report["findings"] == json!([]) && report["unfinished"].is_null();
        assert_eq!(output.status.success(), is_clean, "{report}\n{complained}");
        report
    }

    fn has_dev_operator(&self) -> bool {
        self.data_folder().join("operator.token").exists()
    }
}

/// `stoa module sign` with a key's file.
pub fn signed_by(key: &std::path::Path, bytes: &[u8]) -> Signed {
    let folder = Folder::new("signing");
    let file = folder.path().join("module.wasm");
    std::fs::write(&file, bytes).expect("cannot write the component");
    let mut sign = Command::new(crate::host::binary());
    sign.args(["module", "sign", "--key"]).arg(key).arg(&file);
    let output = sign.env("STOA_MODULE_CACHE_DIR", crate::host::compiled_modules()).output().expect("cannot run stoa");
    assert!(output.status.success(), "`stoa module sign`: {}", String::from_utf8_lossy(&output.stderr));
    let beside = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim().to_string());
    let admission = std::fs::read(&beside).unwrap_or_else(|error| panic!("{}: {error}", beside.display()));
    Signed { bytes: bytes.to_vec(), admission: base64(&admission) }
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

impl Operator {
    /// The same operator at another host of the database: hosts next to each other share a data folder.
    pub fn at(&self, host: &Stoa) -> Operator {
        Operator { host: host.clone(), token: self.token.clone() }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], Vec::new())
    }

    pub fn post(&self, path: &str, body: Json) -> Answer {
        self.send("POST", path, &[("content-type", "application/json")], body.to_string().into_bytes())
    }

    /// Pushes a component; answers as the host does.
    pub fn push(&self, signed: &Signed) -> Answer {
        let headers = [("content-type", "application/wasm"), ("stoa-admission", &signed.admission)];
        self.send("POST", "modules", &headers, signed.bytes.clone())
    }

    /// Pushes, as it must succeed; answers the digest.
    #[track_caller]
    pub fn pushed(&self, bytes: &[u8]) -> String {
        let answer = self.push(&self.host.signed(bytes));
        assert!(matches!(answer.status, 200 | 201), "{answer}");
        answer["digest"].as_str().expect("a digest").to_string()
    }

    pub fn activate(&self, digest: &str, body: Json) -> Answer {
        self.post(&format!("modules/{digest}/activate"), body)
    }

    /// Activates several modules as one set.
    pub fn activate_set(&self, digests: &[&str], allow: &[&str]) -> Answer {
        self.post("activations", json!({ "digests": digests, "allow": allow }))
    }

    /// A verb of `stoa module` against this host: whether it succeeded, what it printed, and what it complained of.
    pub fn run(&self, arguments: &[&str]) -> (bool, String, String) {
        let address = format!("http://{}", self.host.private_address());
        let mut command = self.host.command();
        command.arg("module").args(arguments).args(["--operator-url", &address, "--operator-token", &self.token]);
        let output = command.output().expect("cannot run stoa");
        let [printed, complained] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        (output.status.success(), printed, complained)
    }

    /// The newest generation of the history.
    #[track_caller]
    pub fn newest(&self) -> Json {
        self.get("generations").is(200).items()[0].clone()
    }

    pub fn restore(&self, generation: u64) -> Answer {
        self.post(&format!("generations/{generation}/activate"), json!({}))
    }

    /// The body of `GET /operator/modules`.
    #[track_caller]
    pub fn shown(&self) -> Json {
        self.get("modules").is(200).body.clone()
    }

    /// The generation that this host runs.
    #[track_caller]
    pub fn runs(&self) -> u64 {
        self.shown()["host"]["generation"].as_u64().expect("a generation")
    }

    /// The version of a module that this host runs.
    #[track_caller]
    pub fn version(&self, module: &str) -> Option<String> {
        let shown = self.shown();
        let modules = shown["modules"].as_array().expect("modules");
        modules
            .iter()
            .find(|other| other["name"] == module)
            .map(|it| it["version"].as_str().unwrap_or_default().to_string())
    }

    /// A request to the private listener; `path` is below `/operator/`.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let url = format!("http://{}/operator/{path}", self.host.private_address());
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let request = self.host.client().request(method, url).bearer_auth(&self.token).body(body);
        // A module that is pushed is compiled, while other tests have theirs compiled.
        let mut request = request.timeout(Duration::from_secs(240));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        RUNTIME.block_on(async {
            let response = request.send().await.unwrap_or_else(|error| panic!("the private listener: {error:?}"));
            Answer::of_operator(path, response).await
        })
    }
}
