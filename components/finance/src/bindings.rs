//! The services that finance offers, as Rust.

stoa_trade::offered_services! { "../../wit/finance", "
    package commerce:finance-module;
    world services {
        import commerce:platform/ids@0.1.0; import commerce:platform/problems@0.1.0;
        export commerce:finance/tills@0.1.0;
    }
" }
