//! A request of each operation and its answer. The texts lie in `examples/`.

/// The operation id and the JSON text of its `stoa_descriptor::Example`.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("createPriceList", include_str!("../examples/createPriceList.json")),
    ("getPriceList", include_str!("../examples/getPriceList.json")),
    ("replacePriceList", include_str!("../examples/replacePriceList.json")),
    ("archivePriceList", include_str!("../examples/archivePriceList.json")),
    ("createPrice", include_str!("../examples/createPrice.json")),
    ("schedulePrices", include_str!("../examples/schedulePrices.json")),
    ("getPrice", include_str!("../examples/getPrice.json")),
    ("replacePrice", include_str!("../examples/replacePrice.json")),
    ("archivePrice", include_str!("../examples/archivePrice.json")),
    ("resolvePrices", include_str!("../examples/resolvePrices.json")),
    ("apiCreatePrice", include_str!("../examples/apiCreatePrice.json")),
    ("apiSchedulePrices", include_str!("../examples/apiSchedulePrices.json")),
    ("apiReplacePrice", include_str!("../examples/apiReplacePrice.json")),
    ("apiArchivePrice", include_str!("../examples/apiArchivePrice.json")),
    ("apiResolvePrices", include_str!("../examples/apiResolvePrices.json")),
];
