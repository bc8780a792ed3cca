//! The output of `run` once the service is up: where it is, who may call it, three lines to paste.

use std::path::Path;

use uuid::Uuid;

use super::Started;

/// The summary; `file` has the values for a shell, and `example` names a price list and a variant on it.
pub fn summary(started: &Started, user: &str, file: &Path, example: Option<(String, String)>) -> String {
    let none = "(not built yet)";
    let url = &started.url;
    let mut text = format!(
        "\nStoa is up: {url}\n  contract      {url}/v1/openapi.json\n  docs          {}\n  private       {}\n",
        started.docs_url.as_deref().unwrap_or(none),
        started.private_url.as_deref().unwrap_or(none),
    );
    text.push_str(&format!(
        "  company       {}\n  user          {user}\n  user token    {}\n  API key       {}\n",
        started.tenant_id.as_deref().unwrap_or("none: POST /v1/onboarding/companies makes one"),
        started.user_token,
        started.api_key.as_deref().unwrap_or(none),
    ));
    let receiver = &started.webhook_receiver;
    text.push_str(&format!(
        "  webhooks      to http://{receiver}/: stoa webhook listen --listen {receiver}\n  shell         . {}\n",
        file.display(),
    ));
    text.push_str("\nTry:\n\n");
    for line in lines(started, example) {
        text.push_str(&line);
        text.push_str("\n\n");
    }
    text.push_str("Ctrl-C stops it.\n");
    text
}

/// Each works when pasted by itself.
fn lines(started: &Started, example: Option<(String, String)>) -> Vec<String> {
    let url = &started.url;
    let curl = format!("curl -s -H 'Authorization: Bearer {}'", started.user_token);
    let write = || format!("-H 'Content-Type: application/json' -H 'Idempotency-Key: {}'", Uuid::new_v4());
    let Some(tenant) = &started.tenant_id else {
        let body = r#"{"name": "My company", "currencyCode": "USD"}"#;
        return vec![
            format!("{curl} '{url}/v1/auth/me'"),
            format!("{curl} {} -d '{body}' '{url}/v1/onboarding/companies'", write()),
            format!("curl -s '{url}/v1/openapi.json'"),
        ];
    };
    let base = format!("{url}/v1/tenants/{tenant}");
    let read = match example {
        Some((list, variant)) => format!("{curl} '{base}/pricing/price-lists/{list}/resolve/{variant}'"),
        None => format!("{curl} '{base}/pricing/price-lists'"),
    };
    // Pasted twice, the second answer is a replay of the first: the key is the same.
    let body = r#"{"name": "My first product", "productType": "GOOD", "unitOfMeasure": "UNIT"}"#;
    vec![
        format!("{curl} '{base}/catalog/products?text=pixel&limit=3'"),
        read,
        format!("{curl} {} -d '{body}' '{base}/catalog/products'", write()),
    ]
}
