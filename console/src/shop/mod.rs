//! Pages of commerce that are more than tables, each with the operations that it needs.

pub mod chart;
pub mod overview;
pub mod prices;
pub mod receive;
pub mod till;
pub mod timeline;
