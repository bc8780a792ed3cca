//! The services that procurement offers, as Rust.

stoa_trade::offered_services! { "../../wit/procurement", "
    package commerce:procurement-module;
    world services {
        import commerce:platform/ids@0.1.0; import commerce:platform/problems@0.1.0;
        export commerce:procurement/suppliers@0.1.0; export commerce:procurement/orders@0.1.0;
        export commerce:procurement/charges@0.1.0;
    }
" }
