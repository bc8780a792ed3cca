//! A request of each operation and its answer. The texts lie in `examples/`.

/// The operation id and the JSON text of its `stoa_descriptor::Example`.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("listPriceLists", include_str!("../examples/listPriceLists.json")),
    ("createPriceList", include_str!("../examples/createPriceList.json")),
    ("getPriceList", include_str!("../examples/getPriceList.json")),
    ("replacePriceList", include_str!("../examples/replacePriceList.json")),
    ("archivePriceList", include_str!("../examples/archivePriceList.json")),
    ("listPrices", include_str!("../examples/listPrices.json")),
    ("createPrice", include_str!("../examples/createPrice.json")),
    ("schedulePrices", include_str!("../examples/schedulePrices.json")),
    ("getPrice", include_str!("../examples/getPrice.json")),
    ("replacePrice", include_str!("../examples/replacePrice.json")),
    ("archivePrice", include_str!("../examples/archivePrice.json")),
    ("getPricedProduct", include_str!("../examples/getPricedProduct.json")),
    ("resolvePrices", include_str!("../examples/resolvePrices.json")),
    ("resolvePrice", include_str!("../examples/resolvePrice.json")),
    ("apiListPriceLists", include_str!("../examples/apiListPriceLists.json")),
    ("apiGetPriceList", include_str!("../examples/apiGetPriceList.json")),
    ("apiListPrices", include_str!("../examples/apiListPrices.json")),
    ("apiCreatePrice", include_str!("../examples/apiCreatePrice.json")),
    ("apiSchedulePrices", include_str!("../examples/apiSchedulePrices.json")),
    ("apiReplacePrice", include_str!("../examples/apiReplacePrice.json")),
    ("apiArchivePrice", include_str!("../examples/apiArchivePrice.json")),
    ("apiGetPricedProduct", include_str!("../examples/getPricedProduct.json")),
    ("apiResolvePrices", include_str!("../examples/apiResolvePrices.json")),
    ("apiResolvePrice", include_str!("../examples/apiResolvePrice.json")),
];
