//! The prices of operators: [`PRICE_CLASSES`] for each operator executed, [`SIZE_PRICES`] for
//! operators whose work depends on a size. This is the only table. Prices of the host's functions
//! are not in it.
//!
//! Times are those of the reference machine (an AMD EPYC of 2024, 4 GHz), in chains in which each
//! operator waits for the previous one, unless stated otherwise: `cargo xtask bench sandbox fuel`.

use wasmparser::Operator;

/// Parts of a unit of fuel. Many parts are needed because an engine executes six to fourteen
/// operators in a nanosecond. More are not possible because the highest price is 255 parts.
pub const PARTS_PER_UNIT: u64 = 60;

/// The price of entering a function, in parts of a unit.
pub const ENTRY_PARTS: u8 = 1;

/// Operators with the same price.
#[derive(Clone, Copy, Debug)]
pub struct PriceClass {
    /// What the operators do.
    pub name: &'static str,
    /// The price of each operator, in parts of a unit.
    pub parts: u8,
    /// The reason for the price: what the compiled code does, and the measured time.
    pub reason: &'static str,
    /// Names of the operators in `wasmparser`.
    pub operators: &'static [&'static str],
}

/// Prices by the size of what an operator changes, in parts of a unit. They are charged in addition
/// to the price of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizePrices {
    /// Price of a byte of `memory.copy`.
    pub memory_copy_per_byte: u8,
    /// Price of a byte of `memory.fill`.
    pub memory_fill_per_byte: u8,
    /// Price of a byte of `memory.init`.
    pub memory_init_per_byte: u8,
    /// Price of a page of `memory.grow`.
    pub memory_grow_per_page: u8,
    /// Price of an element of `table.copy`.
    pub table_copy_per_element: u8,
    /// Price of an element of `table.fill`.
    pub table_fill_per_element: u8,
    /// Price of an element of `table.init`.
    pub table_init_per_element: u8,
    /// Price of an element of `table.grow`.
    pub table_grow_per_element: u8,
}

/// The prices by size.
///
/// A byte that is filled or copied has the lowest possible price, 0.02 units, and takes 0.007 to
/// 0.02 ns in the cache, more when memory is touched for the first time. An element of a table
/// takes 0.3 to 0.8 ns. A page has the highest possible price, 4 units, although its first use
/// takes 4 to 8 µs. That is acceptable because the memory cap limits the number of pages, and each
/// has only one first use.
pub const SIZE_PRICES: SizePrices = SizePrices {
    memory_copy_per_byte: 1,
    memory_fill_per_byte: 1,
    memory_init_per_byte: 1,
    memory_grow_per_page: 255,
    table_copy_per_element: 45,
    table_fill_per_element: 18,
    table_init_per_element: 45,
    table_grow_per_element: 18,
};

/// Calls a macro with the table of price classes: `name, parts, reason: operators;` for each class.
/// Operators have the names of `wasmparser`'s `Operator`.
///
/// ```
/// macro_rules! count_classes {
///     ($($name:literal, $parts:literal, $reason:literal: $($operator:ident)+;)*) => {
///         [$($name),*].len()
///     };
/// }
/// let classes = sandboard_metering::with_price_classes!(count_classes);
/// assert_eq!(classes, sandboard_metering::PRICE_CLASSES.len());
/// ```
#[macro_export]
macro_rules! with_price_classes {
    ($callback:ident) => {
        $callback! {
    "markers", 0,
    "no code: block markers, and dropped values":
        Nop Drop Block End Else Unreachable;

    "locals, constants", 1,
    "no code, or a move between registers and stack. Not free, because a call or \
     branch that carries values moves them":
        LocalGet LocalSet LocalTee I32Const I64Const F32Const F64Const V128Const RefNull;

    "integers", 2,
    "one operation, a cycle or less beside other operations (0.1 to 0.27 ns)":
        I32Add I32Sub I32And I32Or I32Xor I32Shl I32ShrS I32ShrU I32Rotl I32Rotr
        I64Add I64Sub I64And I64Or I64Xor I64Shl I64ShrS I64ShrU I64Rotl I64Rotr
        I32Eqz I32Eq I32Ne I32LtS I32LtU I32GtS I32GtU I32LeS I32LeU I32GeS I32GeU
        I64Eqz I64Eq I64Ne I64LtS I64LtU I64GtS I64GtU I64LeS I64LeU I64GeS I64GeU
        I32WrapI64 I64ExtendI32S I64ExtendI32U I32Extend8S I32Extend16S I64Extend8S I64Extend16S
        I64Extend32S RefIsNull MemorySize TableSize;

    "bit counts", 5,
    "one operation, two cycles, or three if the next one waits for it (0.3 ns)":
        I32Clz I32Ctz I32Popcnt I64Clz I64Ctz I64Popcnt;

    "select, globals", 4,
    "a comparison and a conditional move; a load or store in the instance":
        Select TypedSelect GlobalGet GlobalSet;

    "multiplication", 13,
    "three cycles; one can start each cycle (0.25 to 0.8 ns)":
        I32Mul I64Mul;

    "division", 160,
    "3.3 to 4.5 ns; 6 to 10 ns on older machines, which is more than its price":
        I32DivS I32DivU I32RemS I32RemU I64DivS I64DivU I64RemS I64RemU;

    "loads", 15,
    "from the nearest cache one or two cycles beside other operations (1 ns if the next one waits \
     for it). Memory farther away takes 5 to 100 ns at the same price: a count cannot see the \
     difference":
        I32Load I64Load F32Load F64Load I32Load8S I32Load8U I32Load16S I32Load16U
        I64Load8S I64Load8U I64Load16S I64Load16U I64Load32S I64Load32U V128Load
        V128Load8x8S V128Load8x8U V128Load16x4S V128Load16x4U V128Load32x2S V128Load32x2U
        V128Load8Splat V128Load16Splat V128Load32Splat V128Load64Splat V128Load32Zero
        V128Load64Zero;

    "stores", 5,
    "one or two a cycle, and no operation waits for them (0.14 ns)":
        I32Store I64Store F32Store F64Store I32Store8 I32Store16 I64Store8 I64Store16 I64Store32
        V128Store;

    "loops, branches", 8,
    "0.1 ns if predicted, 3 to 5 ns if not; each iteration of a loop also checks fuel and \
     deadline (0.5 ns in all)":
        Loop If Br BrIf Return;

    "branch by table", 90,
    "1 ns if predicted, 6 ns if not":
        BrTable;

    "calls", 150,
    "3.4 ns: fuel is stored and loaded; fuel, deadline and stack are checked. Entering the callee \
     costs one part more":
        Call;

    "calls through a table", 175,
    "4.2 ns: a call, and checks of the table's bounds and the function's type":
        CallIndirect;

    "simple floats", 5,
    "one operation on bits":
        F32Abs F32Neg F32Copysign F64Abs F64Neg F64Copysign
        I32ReinterpretF32 I64ReinterpretF64 F32ReinterpretI32 F64ReinterpretI64
        F32Eq F32Ne F32Lt F32Gt F32Le F32Ge F64Eq F64Ne F64Lt F64Gt F64Le F64Ge;

    "floats", 60,
    "2 to 2.5 ns, about half of it to make every NaN the same; 0.6 ns beside other operations":
        F32Add F32Sub F32Mul F64Add F64Sub F64Mul F32DemoteF64 F64PromoteF32
        F32Ceil F32Floor F32Trunc F32Nearest F64Ceil F64Floor F64Trunc F64Nearest
        F32Min F32Max F64Min F64Max;

    "conversions of floats and integers", 75,
    "1.7 to 2.9 ns, with range checks":
        I32TruncF32S I32TruncF32U I32TruncF64S I32TruncF64U
        I64TruncF32S I64TruncF32U I64TruncF64S I64TruncF64U
        I32TruncSatF32S I32TruncSatF32U I32TruncSatF64S I32TruncSatF64U
        I64TruncSatF32S I64TruncSatF32U I64TruncSatF64S I64TruncSatF64U
        F32ConvertI32S F32ConvertI32U F32ConvertI64S F32ConvertI64U
        F64ConvertI32S F64ConvertI32U F64ConvertI64S F64ConvertI64U;

    "division and square roots of floats", 200,
    "5 to 7 ns":
        F32Div F64Div F32Sqrt F64Sqrt F32x4Div F64x2Div F32x4Sqrt F64x2Sqrt;

    "vectors", 10,
    "one operation, one or two cycles (0.3 to 0.7 ns)":
        V128Not V128And V128AndNot V128Or V128Xor
        I8x16Add I8x16AddSatS I8x16AddSatU I8x16Sub I8x16SubSatS I8x16SubSatU
        I16x8Add I16x8AddSatS I16x8AddSatU I16x8Sub I16x8SubSatS I16x8SubSatU
        I32x4Add I32x4Sub I64x2Add I64x2Sub
        I8x16Eq I8x16Ne I8x16LtS I8x16LtU I8x16GtS I8x16GtU I8x16LeS I8x16LeU I8x16GeS I8x16GeU
        I16x8Eq I16x8Ne I16x8LtS I16x8LtU I16x8GtS I16x8GtU I16x8LeS I16x8LeU I16x8GeS I16x8GeU
        I32x4Eq I32x4Ne I32x4LtS I32x4LtU I32x4GtS I32x4GtU I32x4LeS I32x4LeU I32x4GeS I32x4GeU
        I64x2Eq I64x2Ne I64x2LtS I64x2GtS I64x2LeS I64x2GeS
        F32x4Eq F32x4Ne F32x4Lt F32x4Gt F32x4Le F32x4Ge F64x2Eq F64x2Ne F64x2Lt F64x2Gt F64x2Le
        F64x2Ge
        I8x16Abs I8x16Neg I16x8Abs I16x8Neg I32x4Abs I32x4Neg I64x2Abs I64x2Neg
        F32x4Abs F32x4Neg F64x2Abs F64x2Neg
        I8x16MinS I8x16MinU I8x16MaxS I8x16MaxU I16x8MinS I16x8MinU I16x8MaxS I16x8MaxU
        I32x4MinS I32x4MinU I32x4MaxS I32x4MaxU F32x4PMin F32x4PMax F64x2PMin F64x2PMax
        I8x16AvgrU I16x8AvgrU I8x16NarrowI16x8S I8x16NarrowI16x8U I16x8NarrowI32x4S
        I16x8NarrowI32x4U
        I16x8ExtendLowI8x16S I16x8ExtendHighI8x16S I16x8ExtendLowI8x16U I16x8ExtendHighI8x16U
        I32x4ExtendLowI16x8S I32x4ExtendHighI16x8S I32x4ExtendLowI16x8U I32x4ExtendHighI16x8U
        I64x2ExtendLowI32x4S I64x2ExtendHighI32x4S I64x2ExtendLowI32x4U I64x2ExtendHighI32x4U;

    "vectors, several operations", 22,
    "multiplication, shuffles, lane shifts that the processor lacks: 0.7 to 1.2 ns":
        I16x8Mul I32x4Mul I64x2Mul I32x4DotI16x8S I16x8Q15MulrSatS
        I16x8ExtMulLowI8x16S I16x8ExtMulHighI8x16S I16x8ExtMulLowI8x16U I16x8ExtMulHighI8x16U
        I32x4ExtMulLowI16x8S I32x4ExtMulHighI16x8S I32x4ExtMulLowI16x8U I32x4ExtMulHighI16x8U
        I64x2ExtMulLowI32x4S I64x2ExtMulHighI32x4S I64x2ExtMulLowI32x4U I64x2ExtMulHighI32x4U
        I16x8ExtAddPairwiseI8x16S I16x8ExtAddPairwiseI8x16U
        I32x4ExtAddPairwiseI16x8S I32x4ExtAddPairwiseI16x8U
        I8x16Shuffle I8x16Swizzle I8x16Popcnt V128Bitselect
        I8x16Shl I8x16ShrS I8x16ShrU I16x8Shl I16x8ShrS I16x8ShrU
        I32x4Shl I32x4ShrS I32x4ShrU I64x2Shl I64x2ShrS I64x2ShrU
        F32x4ConvertI32x4S F64x2ConvertLowI32x4S F64x2PromoteLowF32x4 F32x4DemoteF64x2Zero;

    "between vectors and scalars", 50,
    "a move between two kinds of registers: 1.2 to 1.8 ns":
        I8x16ExtractLaneS I8x16ExtractLaneU I16x8ExtractLaneS I16x8ExtractLaneU
        I32x4ExtractLane I64x2ExtractLane F32x4ExtractLane F64x2ExtractLane
        I8x16ReplaceLane I16x8ReplaceLane I32x4ReplaceLane I64x2ReplaceLane
        F32x4ReplaceLane F64x2ReplaceLane
        I8x16Splat I16x8Splat I32x4Splat I64x2Splat F32x4Splat F64x2Splat
        V128AnyTrue I8x16AllTrue I16x8AllTrue I32x4AllTrue I64x2AllTrue
        I8x16Bitmask I16x8Bitmask I32x4Bitmask I64x2Bitmask
        V128Load8Lane V128Load16Lane V128Load32Lane V128Load64Lane
        V128Store8Lane V128Store16Lane V128Store32Lane V128Store64Lane;

    "vectors of floats", 75,
    "like floats: 2 to 2.3 ns, half of it for NaN":
        F32x4Add F32x4Sub F32x4Mul F64x2Add F64x2Sub F64x2Mul
        F32x4Ceil F32x4Floor F32x4Trunc F32x4Nearest F64x2Ceil F64x2Floor F64x2Trunc F64x2Nearest;

    "vectors of floats, several operations", 150,
    "3.9 to 4.2 ns":
        F32x4Min F32x4Max F64x2Min F64x2Max
        I32x4TruncSatF32x4S I32x4TruncSatF32x4U I32x4TruncSatF64x2SZero I32x4TruncSatF64x2UZero
        F32x4ConvertI32x4U F64x2ConvertLowI32x4U;

    "table entries", 24,
    "checks of the bounds, and of whether the entry is initialised":
        TableGet TableSet;

    "bulk operations", 90,
    "1 to 3 ns to start, more if the length is known only at run time; plus a price for each byte \
     or element":
        MemoryFill MemoryCopy MemoryInit TableFill TableCopy TableInit;

    "growth, function references, dropped segments", 255,
    "a call into the runtime: 10 to 40 ns. The highest possible price":
        MemoryGrow TableGrow RefFunc DataDrop ElemDrop;
        }
    };
}

/// Defines [`PRICE_CLASSES`] and [`operator_parts`].
macro_rules! define_prices {
    ($($name:literal, $parts:literal, $reason:literal: $($operator:ident)+;)*) => {
        /// The classes of all operators that a module may contain.
        pub const PRICE_CLASSES: &[PriceClass] = &[$(PriceClass {
            name: $name,
            parts: $parts,
            reason: $reason,
            operators: &[$(stringify!($operator)),+],
        }),*];

        /// The price of an operator in parts of a unit, without what it costs by size. None: a
        /// module must not contain the operator.
        pub(crate) fn operator_parts(operator: &Operator<'_>) -> Option<u8> {
            match operator {
                $($(Operator::$operator { .. })|+ => Some($parts),)*
                _ => None,
            }
        }
    };
}

with_price_classes!(define_prices);

/// The price of each byte, page or element that an operator changes. None: its price does not
/// depend on a size. The size is the operand on top of the stack, an unsigned `i32`.
pub(crate) fn size_parts(operator: &Operator<'_>) -> Option<u8> {
    Some(match operator {
        Operator::MemoryCopy { .. } => SIZE_PRICES.memory_copy_per_byte,
        Operator::MemoryFill { .. } => SIZE_PRICES.memory_fill_per_byte,
        Operator::MemoryInit { .. } => SIZE_PRICES.memory_init_per_byte,
        Operator::MemoryGrow { .. } => SIZE_PRICES.memory_grow_per_page,
        Operator::TableCopy { .. } => SIZE_PRICES.table_copy_per_element,
        Operator::TableFill { .. } => SIZE_PRICES.table_fill_per_element,
        Operator::TableInit { .. } => SIZE_PRICES.table_init_per_element,
        Operator::TableGrow { .. } => SIZE_PRICES.table_grow_per_element,
        _ => return None,
    })
}
