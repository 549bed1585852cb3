//! Fuel that lives in the module: the prices of operators.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod prices;

pub use prices::{
    ENTRY_PARTS, PARTS_PER_UNIT, PRICE_CLASSES, PriceClass, SIZE_PRICES, SizePrices,
};
