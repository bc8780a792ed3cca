//! The services of all modules and the points of `commerce:extension`, for the modules that call them. A component
//! imports of them only what it calls.

wit_bindgen::generate!({
    inline: "
        package commerce:trade-clients;
        world clients {
            import commerce:platform/ids@0.1.0;
            import commerce:platform/problems@0.1.0;
            import commerce:catalog/articles@0.1.0;
            import commerce:catalog/holdings@0.1.0;
            import commerce:catalog/products@0.1.0;
            import commerce:pricing/prices@0.1.0;
            import commerce:pricing/offers@0.1.0;
            import commerce:ledger/directory@0.1.0;
            import commerce:ledger/books@0.1.0;
            import commerce:ledger/money@0.1.0;
            import commerce:inventory/warehouses@0.1.0;
            import commerce:inventory/stock@0.1.0;
            import commerce:inventory/units@0.1.0;
            import commerce:inventory/costs@0.1.0;
            import commerce:procurement/suppliers@0.1.0;
            import commerce:procurement/orders@0.1.0;
            import commerce:procurement/charges@0.1.0;
            import commerce:sales/customers@0.1.0;
            import commerce:sales/orders@0.1.0;
            import commerce:finance/tills@0.1.0;
            import commerce:extension/price-adjustment@0.1.0;
            import commerce:extension/order-confirmation@0.1.0;
            import commerce:extension/availability@0.1.0;
            import commerce:extension/checkout@0.1.0;
            import commerce:extension/payment-acceptance@0.1.0;
            import commerce:extension/numbering@0.1.0;
            import commerce:extension/views@0.1.0;
        }
    ",
    path: [
        "../../wit/platform", "../../wit/catalog", "../../wit/pricing", "../../wit/ledger", "../../wit/inventory",
        "../../wit/procurement", "../../wit/sales", "../../wit/finance", "../../wit/extension",
    ],
    with: {
        "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
        "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
    },
    additional_derives: [PartialEq],
    generate_all,
});
