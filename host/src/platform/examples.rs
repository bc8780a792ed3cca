//! A request of each of the host's own operations and its answer. The texts lie in `examples/`.

use stoa_descriptor::Example;

/// The operation id and the JSON text of its example.
const EXAMPLES: &[(&str, &str)] = &[
    ("getCurrentUser", include_str!("examples/getCurrentUser.json")),
    ("createCompany", include_str!("examples/createCompany.json")),
    ("listApiClients", include_str!("examples/listApiClients.json")),
    ("createApiClient", include_str!("examples/createApiClient.json")),
    ("getApiClient", include_str!("examples/getApiClient.json")),
    ("listApiKeys", include_str!("examples/listApiKeys.json")),
    ("issueApiKey", include_str!("examples/issueApiKey.json")),
    ("revokeApiKey", include_str!("examples/revokeApiKey.json")),
    ("replaceApiClientScopes", include_str!("examples/replaceApiClientScopes.json")),
    ("setApiClientStatus", include_str!("examples/setApiClientStatus.json")),
    ("getTenantContext", include_str!("examples/getTenantContext.json")),
    ("advanceHistory", include_str!("examples/advanceHistory.json")),
    ("executeIamCommand", include_str!("examples/executeIamCommand.json")),
    ("listMemberships", include_str!("examples/listMemberships.json")),
    ("listRoles", include_str!("examples/listRoles.json")),
    ("getTenantSettings", include_str!("examples/getTenantSettings.json")),
    ("replaceTenantSettings", include_str!("examples/replaceTenantSettings.json")),
    ("listWebhooks", include_str!("examples/listWebhooks.json")),
    ("createWebhook", include_str!("examples/createWebhook.json")),
    ("getWebhook", include_str!("examples/getWebhook.json")),
    ("replaceWebhook", include_str!("examples/replaceWebhook.json")),
    ("archiveWebhook", include_str!("examples/archiveWebhook.json")),
    ("redeliverWebhookDelivery", include_str!("examples/redeliverWebhookDelivery.json")),
    ("redeliverWebhookDeliveries", include_str!("examples/redeliverWebhookDeliveries.json")),
    ("rotateWebhookSecret", include_str!("examples/rotateWebhookSecret.json")),
    ("testWebhook", include_str!("examples/testWebhook.json")),
    ("apiListWebhooks", include_str!("examples/listWebhooks.json")),
    ("apiCreateWebhook", include_str!("examples/createWebhook.json")),
    ("apiGetWebhook", include_str!("examples/getWebhook.json")),
    ("apiReplaceWebhook", include_str!("examples/replaceWebhook.json")),
    ("apiArchiveWebhook", include_str!("examples/archiveWebhook.json")),
    ("apiRedeliverWebhookDelivery", include_str!("examples/redeliverWebhookDelivery.json")),
    ("apiRedeliverWebhookDeliveries", include_str!("examples/redeliverWebhookDeliveries.json")),
    ("apiRotateWebhookSecret", include_str!("examples/rotateWebhookSecret.json")),
    ("apiTestWebhook", include_str!("examples/testWebhook.json")),
];

/// The example of an operation.
pub fn find(operation: &str) -> Option<Example> {
    let (_, text) = EXAMPLES.iter().find(|(name, _)| *name == operation)?;
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Judged;
    use crate::operations::Operation;

    #[test]
    fn each_example_is_of_an_operation_and_meets_its_schemas() {
        let described = crate::platform::describe(&[]).unwrap();
        for (name, _) in EXAMPLES {
            let (route, _) = described.routes.iter().find(|(route, _)| route.operation == *name).expect(name);
            assert!(route.example.is_some(), "the example of {name} is no `Example`");
            let operation = Operation::compile(Judged::Now, route.clone(), &described.schemas).unwrap();
            assert_eq!(operation.find_example_faults(), Vec::<String>::new(), "{name}");
        }
    }
}
