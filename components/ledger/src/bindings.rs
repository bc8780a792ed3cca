//! The services that the ledger offers, as Rust.

stoa_trade::offered_services! { "../../wit/ledger", "
    package commerce:ledger-module;
    world services {
        import commerce:platform/ids@0.1.0; import commerce:platform/problems@0.1.0;
        export commerce:ledger/directory@0.1.0; export commerce:ledger/books@0.1.0; export commerce:ledger/money@0.1.0;
    }
" }
