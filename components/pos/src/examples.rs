//! A request of each operation and its answer. The texts lie in `examples/`.

/// The operation id and the JSON text of its `stoa_descriptor::Example`.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("createPosRegister", include_str!("../examples/createPosRegister.json")),
    ("archivePosRegister", include_str!("../examples/archivePosRegister.json")),
    ("openPosSession", include_str!("../examples/openPosSession.json")),
    ("createPosCashMovement", include_str!("../examples/createPosCashMovement.json")),
    ("checkoutPosSession", include_str!("../examples/checkoutPosSession.json")),
    ("closePosSession", include_str!("../examples/closePosSession.json")),
];
