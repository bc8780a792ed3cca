//! A request of each operation and its answer. The texts lie in `examples/`.

/// The operation id and the JSON text of its `stoa_descriptor::Example`.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("listPosRegisters", include_str!("../examples/listPosRegisters.json")),
    ("createPosRegister", include_str!("../examples/createPosRegister.json")),
    ("getPosRegister", include_str!("../examples/getPosRegister.json")),
    ("archivePosRegister", include_str!("../examples/archivePosRegister.json")),
    ("listPosSessions", include_str!("../examples/listPosSessions.json")),
    ("openPosSession", include_str!("../examples/openPosSession.json")),
    ("getPosSession", include_str!("../examples/getPosSession.json")),
    ("createPosCashMovement", include_str!("../examples/createPosCashMovement.json")),
    ("checkoutPosSession", include_str!("../examples/checkoutPosSession.json")),
    ("closePosSession", include_str!("../examples/closePosSession.json")),
    ("apiListPosSessions", include_str!("../examples/apiListPosSessions.json")),
    ("apiGetPosSession", include_str!("../examples/apiGetPosSession.json")),
];
