//! Request bodies of a purchase order: to create and to replace one, of either kind.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, text};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::text::{Line, Prose};

use crate::records::order::{Incoterm, TransportMode};
use crate::rules::terms::{ImportTerms, OrderTerms, PurchaseOrderItemInput};

/// ISO 3166-1 alpha-2; which codes there are is a table's to say.
const COUNTRY: &str = "^[A-Z]{2}$";

/// The bodies of an order: a replacement states the version and the number too, an import order how its goods travel.
macro_rules! order_body {
    ($(#[$meta:meta])* $name:ident {
        number: $(#[$number_meta:meta])* $number:ty,
        extra: { $($extra:tt)* },
        import: $import:expr,
    }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $(#[$number_meta])*
            pub number: $number,
            /// Legal entity that buys. Immutable.
            pub legal_entity_id: Id,
            /// Warehouse of the same legal entity that will receive the goods.
            pub warehouse_id: Id,
            pub supplier_id: Id,
            /// ISO 4217 code, ignoring case.
            #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
            pub currency_code: String,
            #[serde(default)]
            pub notes: Option<Prose<0, 2000>>,
            /// Day on which the goods are expected.
            #[serde(default)]
            pub expected_on: Option<Date>,
            /// At most one line for each variant.
            #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
            pub items: Vec<PurchaseOrderItemInput>,
            $($extra)*
        }

        impl $name {
            /// The terms of the order, the same from all bodies.
            pub fn into_terms(self) -> OrderTerms {
                let import: fn(&$name) -> ImportTerms = $import;
                OrderTerms {
                    import: import(&self),
                    number: self.number.into(),
                    legal_entity_id: self.legal_entity_id,
                    warehouse_id: self.warehouse_id,
                    supplier_id: self.supplier_id,
                    currency_code: self.currency_code,
                    notes: self.notes.map(String::from),
                    expected_on: self.expected_on,
                    items: self.items,
                }
            }
        }
    };
}

/// The bodies of an import order, with what else they say.
macro_rules! import_order_body {
    ($(#[$meta:meta])* $name:ident {
        number: $(#[$number_meta:meta])* $number:ty,
        extra: { $($extra:tt)* },
    }) => {
        order_body! {
            $(#[$meta])*
            $name {
                number: $(#[$number_meta])* $number,
                extra: {
                    /// A rule of Incoterms 2020.
                    #[serde(default)]
                    pub incoterm: Option<Incoterm>,
                    #[serde(default)]
                    pub transport_mode: Option<TransportMode>,
                    /// ISO 3166-1 alpha-2, in upper case.
                    #[serde(default)]
                    #[schemars(regex(pattern = COUNTRY))]
                    pub origin_country: Option<String>,
                    #[serde(default)]
                    pub origin_port: Option<Line<0, 100>>,
                    #[serde(default)]
                    pub destination_port: Option<Line<0, 100>>,
                    /// Reference only: the service creates no customs document.
                    #[serde(default)]
                    pub customs_reference: Option<Line<0, 100>>,
                    $($extra)*
                },
                import: |body| ImportTerms {
                    incoterm: body.incoterm,
                    transport_mode: body.transport_mode,
                    origin_country: body.origin_country.clone(),
                    origin_port: body.origin_port.clone().map(String::from),
                    destination_port: body.destination_port.clone().map(String::from),
                    customs_reference: body.customs_reference.clone().map(String::from),
                },
            }
        }
    };
}

order_body! {
    /// A draft of a purchase order.
    PurchaseOrderInput {
        number:
            /// Unique in the legal entity, ignoring case. Immutable. Omitted or null: `PO-` and the next number.
            #[serde(default)]
            Option<DocumentNumber>,
        extra: {},
        import: |_| ImportTerms::default(),
    }
}

order_body! {
    /// Full replacement of a draft.
    PurchaseOrderUpdate {
        number:
            /// Current number of the order; it cannot change.
            DocumentNumber,
        extra: { pub expected_version: ExpectedVersion, },
        import: |_| ImportTerms::default(),
    }
}

import_order_body! {
    /// A draft of an import order.
    ImportOrderInput {
        number:
            /// Unique in the legal entity, ignoring case. Immutable. Omitted or null: `PO-` and the next number.
            #[serde(default)]
            Option<DocumentNumber>,
        extra: {},
    }
}

import_order_body! {
    /// Replacement of an import order: all members of a draft, later only the members about transport.
    ImportOrderUpdate {
        number:
            /// Current number of the order; it cannot change.
            DocumentNumber,
        extra: { pub expected_version: ExpectedVersion, },
    }
}
