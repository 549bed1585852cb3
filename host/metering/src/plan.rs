//! Plans what is inserted into the body of a function: reads its operators once, checks them, and
//! lists the [`Edit`]s. Writes nothing; [`emit`](crate::emit) does.
//!
//! The plan follows the structured control flow of WebAssembly and needs no graph: code is cut into
//! *segments*, which control enters only at their first operator.

use wasmparser::{
    FuncToValidate, FuncValidator, FuncValidatorAllocations, FunctionBody, Operator,
    OperatorsReader, ValidatorResources,
};

use crate::error::InstrumentError;
use crate::prices::{ENTRY_PARTS, operator_parts, size_parts};
use crate::{FRAME_SLOTS, LEAF_SLOTS};

/// The highest price of a segment. More can be neither budgeted nor counted.
const PARTS_MAX: i64 = 1 << 61;

/// What is inserted into a function, and what about it the code at its ends depends on.
#[derive(Debug)]
pub(crate) struct Plan {
    /// In the order of their offsets.
    pub edits: Vec<Edit>,
    /// What the function takes of the stack.
    pub frame: Frame,
    /// Number of parameters and locals.
    pub locals: u32,
    /// Index of the function's type.
    pub type_index: u32,
    /// A branch targets the label of the function itself.
    pub branches_out: bool,
    /// Fuel is checked somewhere.
    pub checks: bool,
    /// A size is charged that is known only at run time.
    pub sizes: bool,
    /// Offset of the first operator in the module.
    pub start: usize,
    /// Offset of the last operator, `end`.
    pub end: usize,
    /// The end is reached, and the counter is not yet in its global.
    pub writes_at_end: bool,
    /// The end is reached.
    pub falls_through: bool,
}

/// What a function takes of the stack, in slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Nothing: the function calls no other and is small.
    Free,
    /// It calls no other: the frame is checked, but nobody else sees the counter.
    Checked(i32),
    /// It calls others.
    Charged(i32),
}

/// An insertion before the operator at `offset`, or its replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Offset in the module, in bytes.
    pub offset: usize,
    /// Number of blocks around it, without the function.
    pub depth: u32,
    /// What is done.
    pub action: Action,
}

/// What an [`Edit`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Inserts the charge of the segment that begins here.
    Charge {
        /// The price of the segment.
        parts: i64,
        /// The counter must not be negative afterwards.
        checked: bool,
        /// The segment ends with a call, so the global gets the counter.
        written: bool,
    },
    /// Inserts a charge for the size on top of the stack, with a check.
    ChargeSize {
        /// The price of each byte, page or element.
        parts_each: u8,
    },
    /// Inserts the reading of the counter after a call.
    Reload,
    /// Replaces `global.get`, because indices of globals may change.
    GlobalGet { index: u32, len: usize },
    /// Replaces `global.set`.
    GlobalSet { index: u32, len: usize },
    /// Inserts what happens before `return`.
    Return,
}

/// The part of a segment that was read so far.
struct Segment {
    /// Index of its edit.
    edit: usize,
    parts: i64,
    checked: bool,
    /// Nothing was charged since the global was read.
    after_call: bool,
}

/// A construct around the current operator.
struct Block {
    kind: BlockKind,
    /// Whether control reaches its beginning.
    entered: bool,
    /// Whether control reaches its label by a branch, or at the end of the first arm of an `if`.
    joined: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    /// The body of a function counts as one.
    Block,
    Loop,
    /// Until its `else`, if it has one.
    If,
}

/// Reads a function. Err: it is invalid.
pub(crate) fn plan(
    function: FuncToValidate<ValidatorResources>,
    body: &FunctionBody<'_>,
    allocations: FuncValidatorAllocations,
) -> Result<(Plan, FuncValidatorAllocations), InstrumentError> {
    let type_index = function.ty;
    let mut validator = function.into_validator(allocations);
    let mut reader = body.get_binary_reader();
    validator.read_locals(&mut reader)?;
    let mut operators = OperatorsReader::new(reader);
    let start = operators.original_position();
    let mut planner = Planner::new(start);
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        let Some(parts) = operator_parts(&operator) else {
            return Err(not_admitted(&operator, offset));
        };
        validator.op(offset, &operator)?;
        let next = operators.original_position();
        planner.read(&operator, parts, offset..next, &validator);
    }
    operators.finish()?;
    let locals = validator.len_locals();
    let plan = planner.finish(start, locals, type_index);
    Ok((plan, validator.into_allocations()))
}

fn not_admitted(operator: &Operator<'_>, offset: usize) -> InstrumentError {
    let text = format!("{operator:?}");
    let name = text.split([' ', '(']).next().unwrap_or_default().to_owned();
    InstrumentError::Operator { operator: name, offset }
}

/// Reads the operators of a function in their order.
struct Planner {
    edits: Vec<Edit>,
    /// The innermost is last. Empty after the end of the function.
    blocks: Vec<Block>,
    /// None: control does not reach the current operator.
    segment: Option<Segment>,
    /// The value of the previous operator, if that is `i32.const`.
    constant: Option<u32>,
    max_height: u32,
    calls: bool,
    branches_out: bool,
    checks: bool,
    sizes: bool,
    end: usize,
    falls_through: bool,
    writes_at_end: bool,
}

impl Planner {
    fn new(start: usize) -> Self {
        let body = Block { kind: BlockKind::Block, entered: true, joined: false };
        let mut planner = Self {
            edits: Vec::new(),
            blocks: vec![body],
            segment: None,
            constant: None,
            max_height: 0,
            calls: false,
            branches_out: false,
            checks: false,
            sizes: false,
            end: start,
            falls_through: false,
            writes_at_end: false,
        };
        planner.begin_segment(start);
        if let Some(segment) = &mut planner.segment {
            segment.parts = ENTRY_PARTS.into();
        }
        planner
    }

    /// Reads an operator that was validated. `parts` is its price.
    fn read(
        &mut self,
        operator: &Operator<'_>,
        parts: u8,
        range: std::ops::Range<usize>,
        validator: &FuncValidator<ValidatorResources>,
    ) {
        let constant = self.constant.take();
        let len = range.len();
        if let Some(segment) = &mut self.segment {
            segment.parts = add(segment.parts, parts.into());
        }
        match *operator {
            Operator::GlobalGet { global_index: index } => {
                self.edit(range.start, Action::GlobalGet { index, len });
            }
            Operator::GlobalSet { global_index: index } => {
                self.edit(range.start, Action::GlobalSet { index, len });
            }
            Operator::I32Const { value } => self.constant = Some(value.cast_unsigned()),
            Operator::Block { .. } => self.open(BlockKind::Block),
            Operator::Loop { .. } => {
                self.open(BlockKind::Loop);
                self.end_and_begin(range.end);
                self.check_segment();
            }
            Operator::If { .. } => {
                self.open(BlockKind::If);
                self.end_and_begin(range.end);
            }
            Operator::Else => self.read_else(range.end),
            Operator::End => self.read_end(range),
            Operator::Br { relative_depth } => {
                self.branch(relative_depth);
                self.end_segment(false);
            }
            Operator::BrIf { relative_depth } => {
                self.branch(relative_depth);
                self.end_and_begin(range.end);
            }
            Operator::BrTable { ref targets } => {
                // The operator was validated, so that its targets can be read.
                targets.targets().flatten().for_each(|depth| self.branch(depth));
                self.branch(targets.default());
                self.end_segment(false);
            }
            Operator::Return => {
                if self.segment.is_some() {
                    self.edit(range.start, Action::Return);
                }
                self.end_segment(false);
            }
            Operator::Unreachable => self.end_segment(false),
            Operator::Call { .. } | Operator::CallIndirect { .. } => self.read_call(range.end),
            _ => {
                if let Some(parts_each) = size_parts(operator) {
                    self.read_sized(parts_each, constant, range);
                }
            }
        }
        if self.segment.is_some() {
            self.max_height = self.max_height.max(validator.operand_stack_height());
        }
    }

    fn read_call(&mut self, next: usize) {
        if self.segment.is_none() {
            return;
        }
        self.calls = true;
        self.check_segment();
        self.end_segment(true);
        self.edit(next, Action::Reload);
        self.begin_segment(next);
        if let Some(segment) = &mut self.segment {
            segment.after_call = true;
        }
    }

    /// Reads an operator whose price depends on a size.
    fn read_sized(
        &mut self,
        parts_each: u8,
        constant: Option<u32>,
        range: std::ops::Range<usize>,
    ) {
        let Some(segment) = &mut self.segment else { return };
        match constant {
            Some(size) => {
                segment.parts = add(segment.parts, i64::from(size) * i64::from(parts_each));
                self.check_segment();
            }
            None => {
                self.sizes = true;
                self.checks = true;
                self.end_segment(false);
                self.edit(range.start, Action::ChargeSize { parts_each });
                self.begin_segment(range.end);
            }
        }
    }

    fn read_else(&mut self, next: usize) {
        let reached = self.segment.is_some();
        self.end_segment(false);
        let Some(block) = self.blocks.last_mut() else { return };
        block.joined |= reached;
        block.kind = BlockKind::Block;
        if block.entered {
            self.begin_segment(next);
        }
    }

    fn read_end(&mut self, range: std::ops::Range<usize>) {
        let Some(block) = self.blocks.pop() else { return };
        // Without `else`, control reaches the end of an `if` if it reaches its beginning.
        let joined = block.joined || block.kind == BlockKind::If && block.entered;
        if self.blocks.is_empty() {
            self.finish_body(block.joined, range.start);
        } else if joined && block.kind != BlockKind::Loop {
            self.end_segment(false);
            self.begin_segment(range.end);
        }
    }

    fn finish_body(&mut self, joined: bool, end: usize) {
        self.falls_through = joined || self.segment.is_some();
        let charged = self.segment.as_ref().is_none_or(|s| !s.after_call || s.parts > 0);
        self.writes_at_end = joined || charged;
        self.end = end;
        self.end_segment(false);
    }

    /// A branch to the label of the block at this depth.
    fn branch(&mut self, depth: u32) {
        let position = self.blocks.len() - 1 - depth as usize;
        self.branches_out |= position == 0;
        if self.segment.is_some() {
            self.blocks[position].joined = true;
        }
    }

    fn open(&mut self, kind: BlockKind) {
        self.blocks.push(Block { kind, entered: self.segment.is_some(), joined: false });
    }

    /// A segment begins with the operator at this offset.
    fn begin_segment(&mut self, offset: usize) {
        let edit = self.edits.len();
        self.edit(offset, Action::Charge { parts: 0, checked: false, written: false });
        self.segment = Some(Segment { edit, parts: 0, checked: false, after_call: false });
    }

    /// The current segment ends before this offset, where another begins. Nothing happens in code
    /// that control does not reach.
    fn end_and_begin(&mut self, offset: usize) {
        if self.segment.is_some() {
            self.end_segment(false);
            self.begin_segment(offset);
        }
    }

    /// The counter must not be negative after the charge of the current segment.
    fn check_segment(&mut self) {
        if let Some(segment) = &mut self.segment {
            segment.checked = true;
            self.checks = true;
        }
    }

    /// The current segment has ended. `written`: with a call.
    fn end_segment(&mut self, written: bool) {
        if let Some(Segment { edit, parts, checked, .. }) = self.segment.take() {
            self.edits[edit].action = Action::Charge { parts, checked, written };
        }
    }

    fn edit(&mut self, offset: usize, action: Action) {
        let depth = self.blocks.len().saturating_sub(1) as u32;
        self.edits.push(Edit { offset, depth, action });
    }

    fn finish(self, start: usize, locals: u32, type_index: u32) -> Plan {
        let slots = FRAME_SLOTS.saturating_add(locals).saturating_add(self.max_height);
        let charged = i32::try_from(slots).unwrap_or(i32::MAX);
        let frame = match (self.calls, slots > LEAF_SLOTS) {
            (true, _) => Frame::Charged(charged),
            (false, true) => Frame::Checked(charged),
            (false, false) => Frame::Free,
        };
        Plan {
            edits: self.edits,
            frame,
            locals,
            type_index,
            branches_out: self.branches_out,
            checks: self.checks,
            sizes: self.sizes,
            start,
            end: self.end,
            writes_at_end: self.writes_at_end,
            falls_through: self.falls_through,
        }
    }
}

/// The sum of two prices, limited to what can be counted.
fn add(parts: i64, more: i64) -> i64 {
    parts.saturating_add(more).min(PARTS_MAX)
}
