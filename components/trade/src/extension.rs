//! Points of commerce, for the modules that extend them: what `wit/extension` says, for the extension's side. A module
//! implements a point's `Guest` and exports it by [`export_point!`](crate::export_point).

/// Exports a point of `$module`, which implements its `Guest`: `export_point!(checkout, Loyalty);`. Native builds export nothing.
#[macro_export]
macro_rules! export_point {
    ($point:ident, $module:path) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Extension = $module;
    $crate::extension::$point::export!(Extension with_types_in $crate::extension::$point);
        };
    };
}

/// Adjusts the price of one unit.
pub mod price_adjustment {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/price-adjusting",
        with: {
            "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
        },
        default_bindings_module: "stoa_trade::extension::price_adjustment",
        pub_export_macro: true,
        additional_derives: [PartialEq],
        generate_all,
    });

    pub use self::exports::commerce::extension::price_adjustment::{Adjustment, Guest, Line, Question};
}

/// Checks an order before it is confirmed.
pub mod order_confirmation {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/order-confirming",
        with: {
            "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
            "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
            "commerce:extension/order-types@0.1.0": crate::bindings::commerce::extension::order_types,
        },
        default_bindings_module: "stoa_trade::extension::order_confirmation",
        pub_export_macro: true,
        additional_derives: [PartialEq],
        generate_all,
    });

    pub use self::exports::commerce::extension::order_confirmation::Guest;
    pub use crate::bindings::commerce::extension::order_types::{Line as OrderLine, Order};
}

/// Limits how much of an order's goods may be sold.
pub mod availability {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/availability-restricting",
        with: {
            "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
            "commerce:extension/order-types@0.1.0": crate::bindings::commerce::extension::order_types,
        },
        default_bindings_module: "stoa_trade::extension::availability",
        pub_export_macro: true,
        additional_derives: [PartialEq],
        generate_all,
    });

    pub use self::exports::commerce::extension::availability::{Guest, Limit};
    pub use crate::bindings::commerce::extension::order_types::{Line as OrderLine, Order};
}

/// Checks an order before a register collects it.
pub mod checkout {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/checkout-checking",
        with: {
            "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
            "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
            "commerce:extension/order-types@0.1.0": crate::bindings::commerce::extension::order_types,
        },
        default_bindings_module: "stoa_trade::extension::checkout",
        pub_export_macro: true,
        additional_derives: [PartialEq],
        generate_all,
    });

    pub use self::exports::commerce::extension::checkout::{Guest, Place};
    pub use crate::bindings::commerce::extension::order_types::{Line as OrderLine, Order};
}

/// Accepts payments at a register.
pub mod payment_acceptance {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/payment-accepting",
        with: {
            "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
            "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
            "commerce:extension/order-types@0.1.0": crate::bindings::commerce::extension::order_types,
        },
        default_bindings_module: "stoa_trade::extension::payment_acceptance",
        pub_export_macro: true,
        additional_derives: [PartialEq],
        generate_all,
    });

    pub use self::exports::commerce::extension::payment_acceptance::{Guest, Payment};
    pub use crate::bindings::commerce::extension::order_types::{Line as OrderLine, Order};
}

/// Numbers a new document.
pub mod numbering {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/numbering-documents",
        with: {
            "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
            "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
        },
        default_bindings_module: "stoa_trade::extension::numbering",
        pub_export_macro: true,
        additional_derives: [PartialEq],
        generate_all,
    });

    pub use self::exports::commerce::extension::numbering::{Document, Guest, Numbered};
}
