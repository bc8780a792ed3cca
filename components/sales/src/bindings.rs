//! The services that sales offers, as Rust.

stoa_trade::offered_services! { "../../wit/sales", "
    package commerce:sales-module;
    world services {
        import commerce:platform/ids@0.1.0; import commerce:platform/problems@0.1.0;
        export commerce:sales/customers@0.1.0; export commerce:sales/orders@0.1.0;
    }
" }
