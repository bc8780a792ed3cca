//! An API key to try the service: issued at the first start, kept next to the development database and its issuer's key.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::api::{Api, items, text};

const FILE: &str = "demo-api.key";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    tenant_id: String,
    api_key: String,
}

/// The key of the last start while it is let in, else a new one, of a client with every scope.
pub async fn read_or_issue(api: &Api, tenant: &str, data: &Path) -> Result<String> {
    let file = data.join(FILE);
    let kept = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok());
    if let Some(kept) = kept
        && kept.tenant_id == tenant
        && api.admits(&kept.api_key).await
    {
        return Ok(kept.api_key);
    }
    let clients = format!("/v1/tenants/{tenant}/api-clients");
    let known = api.get(&format!("{clients}/scopes")).await?;
    let scopes = items(&known).map(|scope| text(scope, "code")).collect::<Result<Vec<_>>>()?;
    let client = json!({ "name": "Demo", "scopes": scopes });
    let client = text(&api.post(&clients, Uuid::now_v7(), &client).await?, "id")?;
    let issued = api.post(&format!("{clients}/{client}/keys"), Uuid::now_v7(), &json!({})).await?;
    let kept = Kept { tenant_id: tenant.to_string(), api_key: text(&issued, "apiKey")? };
    let mut options = std::fs::File::options();
    let mut keep = options.create(true).write(true).truncate(true).mode(0o600).open(&file)?;
    keep.write_all(&serde_json::to_vec(&kept)?).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(kept.api_key)
}
