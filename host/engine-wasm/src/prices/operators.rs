//! The prices of operators in the runtime's format. The prices themselves are in
//! `sandboard-metering`.

use sandboard_metering::{SIZE_PRICES, with_price_classes};
use wasmtime::{OperatorCost, VariableOperatorCost};

/// Defines the conversion to the runtime's format, which has a field for each operator.
macro_rules! define_operator_cost {
    ($($name:literal, $parts:literal, $reason:literal: $($operator:ident)+;)*) => {
        /// The prices of all operators. Operators that no module may contain keep the runtime's
        /// default, which is never used.
        pub(crate) fn operator_cost() -> OperatorCost {
            let mut cost = OperatorCost { variable: size_prices(), ..OperatorCost::new() };
            $($(cost.$operator = $parts;)+)*
            cost
        }
    };
}

with_price_classes!(define_operator_cost);

/// The prices by size.
fn size_prices() -> VariableOperatorCost {
    VariableOperatorCost {
        memory_copy_per_byte: SIZE_PRICES.memory_copy_per_byte,
        memory_fill_per_byte: SIZE_PRICES.memory_fill_per_byte,
        memory_init_per_byte: SIZE_PRICES.memory_init_per_byte,
        memory_grow_per_page: SIZE_PRICES.memory_grow_per_page,
        table_copy_per_element: SIZE_PRICES.table_copy_per_element,
        table_fill_per_element: SIZE_PRICES.table_fill_per_element,
        table_init_per_element: SIZE_PRICES.table_init_per_element,
        table_grow_per_element: SIZE_PRICES.table_grow_per_element,
        // Garbage collection is off.
        array_copy_per_element: 255,
        array_fill_per_element: 255,
        array_new_data_per_element: 255,
        array_init_data_per_element: 255,
        array_new_elem_per_element: 255,
        array_init_elem_per_element: 255,
        array_new_default_per_element: 255,
        array_new_per_element: 255,
    }
}
