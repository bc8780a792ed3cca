//! The module against a scripted host, with stand-ins for the services that it calls.

mod approval;
mod billing;
mod charging;
mod orders;
mod receipts;
mod shop;
mod suppliers;
mod verify;

use stoa_sdk::Module;
use stoa_sdk::descriptor::Audience;

use crate::Procurement;

#[test]
fn the_descriptor_can_be_written() {
    let descriptor = Procurement::descriptor();
    assert_eq!((descriptor.collections.len(), descriptor.events.len()), (11, 8));
    assert!(descriptor.routes.iter().all(|route| route.read_only || route.audit.is_some()));
}

#[test]
fn e95_api_clients_have_no_route_for_what_is_a_persons_act() {
    let descriptor = Procurement::descriptor();
    let route_names = |audience: Audience| {
        let routes = descriptor.routes.iter().filter(move |route| route.audience == audience);
        routes.map(|route| route.operation.trim_start_matches("api").to_lowercase()).collect::<Vec<_>>()
    };
    let clients = route_names(Audience::ApiClient);
    let alone: Vec<String> = route_names(Audience::User).into_iter().filter(|name| !clients.contains(name)).collect();
    let expected = [
        "approvePurchaseOrder",
        "addCharge",
        "replaceCharge",
        "allocateCharge",
        "cancelCharge",
        "getProcurementSettings",
        "replaceProcurementSettings",
    ];
    assert_eq!(alone, expected.map(str::to_lowercase));
}
