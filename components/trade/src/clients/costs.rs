//! Costs of goods: corrections by credits, charges on what came, and the worth of an entity's goods.

use stoa_sdk::Problem;

use super::Key;

pub use crate::bindings::commerce::inventory::costs::{
    ChargeLine, CorrectionLine, Destination, Flow, FlowPage, Goods, Part, Stated, ValuationPage, Value, Valued,
};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::inventory::costs) {
        fn correct(credit: Key, lines: &[CorrectionLine]) -> Result<Vec<Vec<Part>>, Problem>;
        fn charge(charge: Key, lines: &[ChargeLine]) -> Result<Vec<Vec<Part>>, Problem>;
        fn open(entity: Key, currency_code: &str, stated: &[Stated]) -> Result<String, Problem>;
        fn valuation(
            entity: Key,
            as_of: Option<&str>,
            variant_id: Option<Key>,
            cursor: Option<Key>,
            limit: u32,
        ) -> Result<ValuationPage, Problem>;
        fn flows(
            entity: Key,
            since: &str,
            until: &str,
            variant_id: Option<Key>,
            cursor: Option<Key>,
            limit: u32,
        ) -> Result<FlowPage, Problem>;
    }
}
