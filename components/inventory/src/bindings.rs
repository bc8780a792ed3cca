//! The services that inventory offers, as Rust.

stoa_trade::offered_services! { "../../wit/inventory", "
    package commerce:inventory-module;
    world services {
        import commerce:platform/ids@0.1.0; import commerce:platform/problems@0.1.0;
        export commerce:inventory/warehouses@0.1.0; export commerce:inventory/stock@0.1.0;
        export commerce:inventory/units@0.1.0; export commerce:inventory/costs@0.1.0;
    }
" }
