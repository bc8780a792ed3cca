//! The one way by which goods change: a request collects what happens to them, then takes the rows of stock and cost that are
//! concerned, in one order for all, and then writes movements, reservations, layers and cost entries together. So the ledgers
//! and their projections never part.
//!
//! 1. collect: [`Goods::change`], [`Goods::record`], [`Goods::bring`], [`Goods::draw`], [`Goods::open`], [`Goods::close`];
//! 2. [`Goods::settle`]: stock is changed and guarded, layers are drawn; the cost of the goods is known from here on;
//! 3. [`Settled::write`]: the rest is written, and the change is emitted;
//! 4. [`Settled::post`]: the books, last of all.
//!
//! Before it: documents, books (`books::admit`), gates, units, in this order.

mod collect;
mod entries;
mod layers;
pub mod post;
mod settle;
mod write;

pub use collect::Closing;
pub use collect::Goods;
pub use collect::Holder;
pub use collect::Inflow;
pub use collect::Outflow;
pub use collect::Place;
pub use collect::Sku;
pub use collect::new_movement;
pub use settle::Settled;
pub use write::holding_of;
