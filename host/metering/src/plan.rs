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
use crate::nan::Floats;
use crate::placement::{EXACT, Place, Places, Segment};
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
    /// It calls no other: the frame is checked, but no other function depends on the counter.
    Checked(i32),
    /// It calls others, but no call returns: each of them takes the frame.
    AtCalls(i32),
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
        /// What is subtracted from the counter.
        parts: i64,
        /// The counter must not be lower afterwards.
        least: Option<i64>,
        /// The segment ends with a call, so the global gets the counter.
        written: bool,
    },
    /// Inserts a charge for the size on top of the stack, with a check.
    ChargeSize {
        /// The price of each byte, page or element.
        parts_each: u8,
        /// The counter must not be lower afterwards.
        least: i64,
    },
    /// Inserts the reading of the counter after a call.
    Reload,
    /// Replaces `global.get`, because indices of globals may change.
    GlobalGet { index: u32, len: usize },
    /// Replaces `global.set`, for the same reason.
    GlobalSet { index: u32, len: usize },
    /// Inserts what happens before `return`.
    Return,
    /// Inserts the replacement of each NaN in the value on top of the stack.
    Canonicalize(Floats),
}

/// What is known of a segment.
struct Charge {
    /// Index of its edit.
    edit: usize,
    segment: Segment,
    checked: bool,
    written: bool,
}

/// A charge by size.
struct SizeCharge {
    /// Index of its edit.
    edit: usize,
    parts_each: u8,
    /// The place before the operator.
    place: Place,
}

/// A construct around the current operator.
struct Block {
    kind: BlockKind,
    /// The place before it. None: control does not reach its beginning.
    entry: Option<Place>,
    /// The place of its label.
    label: Place,
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
    /// The segments so far. The last one is the current one if `reached`.
    charges: Vec<Charge>,
    size_charges: Vec<SizeCharge>,
    places: Places,
    /// Control reaches the current operator.
    reached: bool,
    /// The current segment begins after a call.
    after_call: bool,
    /// The value of the previous operator, if that is `i32.const`.
    constant: Option<u32>,
    loops: u32,
    max_height: u32,
    calls: u32,
    /// Of these, those after which control cannot go on.
    last_calls: u32,
    branches_out: bool,
    end: usize,
    falls_through: bool,
    writes_at_end: bool,
}

impl Planner {
    fn new(start: usize) -> Self {
        // The label of a function is where it returns.
        let entry = Some(EXACT);
        let body = Block { kind: BlockKind::Block, entry, label: EXACT, joined: false };
        let mut planner = Self {
            edits: Vec::new(),
            blocks: vec![body],
            charges: Vec::new(),
            size_charges: Vec::new(),
            places: Places::new(),
            reached: true,
            after_call: false,
            constant: None,
            loops: 0,
            max_height: 0,
            calls: 0,
            last_calls: 0,
            branches_out: false,
            end: start,
            falls_through: false,
            writes_at_end: false,
        };
        planner.begin_segment(start, EXACT);
        planner.charge(ENTRY_PARTS.into());
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
        self.charge(parts.into());
        match *operator {
            Operator::GlobalGet { global_index: index } => {
                self.edit(range.start, Action::GlobalGet { index, len });
            }
            Operator::GlobalSet { global_index: index } => {
                self.edit(range.start, Action::GlobalSet { index, len });
            }
            Operator::I32Const { value } => self.constant = Some(value.cast_unsigned()),
            Operator::Block { .. } => self.open(BlockKind::Block),
            Operator::Loop { .. } => self.read_loop(range.end),
            Operator::If { .. } => {
                self.open(BlockKind::If);
                self.continue_segment(range.end);
            }
            Operator::Else => self.read_else(range.end),
            Operator::End => self.read_end(range),
            Operator::Br { relative_depth } => {
                self.branch(relative_depth);
                self.reached = false;
            }
            Operator::BrIf { relative_depth } => {
                self.branch(relative_depth);
                self.continue_segment(range.end);
            }
            Operator::BrTable { ref targets } => {
                // The operator was validated, so that its targets can be read.
                targets.targets().flatten().for_each(|depth| self.branch(depth));
                self.branch(targets.default());
                self.reached = false;
            }
            Operator::Return => {
                if self.reached {
                    self.edit(range.start, Action::Return);
                    self.go_to(EXACT);
                }
                self.reached = false;
            }
            Operator::Unreachable => self.read_unreachable(),
            Operator::Call { .. } | Operator::CallIndirect { .. } => self.read_call(range.end),
            _ => {
                if let Some(parts_each) = size_parts(operator) {
                    self.read_sized(parts_each, constant, range);
                } else if let Some(floats) = Floats::computed_by(operator)
                    && self.reached
                {
                    self.edit(range.end, Action::Canonicalize(floats));
                }
            }
        }
        if self.reached {
            self.max_height = self.max_height.max(validator.operand_stack_height());
        }
    }

    fn read_loop(&mut self, next: usize) {
        self.open(BlockKind::Loop);
        self.loops += 1;
        if self.reached {
            let label = self.blocks[self.blocks.len() - 1].label;
            self.go_to(label);
            self.begin_segment(next, label);
            self.current().checked = true;
        }
    }

    fn read_call(&mut self, next: usize) {
        if self.reached {
            self.calls += 1;
            self.current().checked = true;
            self.current().written = true;
            self.go_to(EXACT);
            self.edit(next, Action::Reload);
            self.begin_segment(next, EXACT);
            self.after_call = true;
        }
    }

    /// After a call it means that the call does not return.
    fn read_unreachable(&mut self) {
        if self.reached
            && self.after_call
            && self.current().segment.parts == 0
            && let [.., before, _] = &mut self.charges[..]
        {
            before.segment.cold = true;
            self.last_calls += 1;
        }
        self.reached = false;
    }

    /// Reads an operator whose price depends on a size.
    fn read_sized(&mut self, parts_each: u8, constant: Option<u32>, range: std::ops::Range<usize>) {
        if !self.reached {
            return;
        }
        if let Some(size) = constant {
            self.charge(i64::from(size) * i64::from(parts_each));
            self.current().checked = true;
        } else {
            let place = self.current().segment.after;
            self.size_charges.push(SizeCharge { edit: self.edits.len(), parts_each, place });
            self.edit(range.start, Action::ChargeSize { parts_each, least: 0 });
            self.continue_segment(range.end);
        }
    }

    fn read_else(&mut self, next: usize) {
        let at = self.blocks.len() - 1;
        if self.reached {
            self.go_to(self.blocks[at].label);
            self.blocks[at].joined = true;
        }
        self.blocks[at].kind = BlockKind::Block;
        self.reached = false;
        if let Some(entry) = self.blocks[at].entry {
            self.begin_segment(next, entry);
        }
    }

    fn read_end(&mut self, range: std::ops::Range<usize>) {
        let Some(Block { kind, entry, label, mut joined }) = self.blocks.pop() else { return };
        if self.blocks.is_empty() {
            self.finish_body(joined, range.start);
            return;
        }
        match (kind, entry) {
            (BlockKind::Loop, _) => {
                self.loops -= 1;
                joined = false;
            }
            // Without `else`, control reaches the end of an `if` if it reaches its beginning.
            (BlockKind::If, Some(entry)) => {
                self.places.join(entry, label);
                joined = true;
            }
            _ => {}
        }
        if joined {
            if self.reached {
                self.go_to(label);
            }
            self.begin_segment(range.end, label);
        }
    }

    fn finish_body(&mut self, joined: bool, end: usize) {
        self.end = end;
        self.falls_through = joined || self.reached;
        let is_charged = self.reached && !(self.after_call && self.current().segment.parts == 0);
        self.writes_at_end = joined || is_charged;
        if self.reached {
            self.go_to(EXACT);
        }
    }

    /// A branch to the label of the block at this depth.
    fn branch(&mut self, depth: u32) {
        let position = self.blocks.len() - 1 - depth as usize;
        self.branches_out |= position == 0;
        if self.reached {
            self.go_to(self.blocks[position].label);
            self.blocks[position].joined = true;
        }
    }

    fn open(&mut self, kind: BlockKind) {
        let entry = self.reached.then(|| self.current().segment.after);
        let label = self.places.add();
        self.blocks.push(Block { kind, entry, label, joined: false });
    }

    /// A segment begins with the operator at this offset.
    fn begin_segment(&mut self, offset: usize, before: Place) {
        let edit = self.edits.len();
        self.edit(offset, Action::Charge { parts: 0, least: None, written: false });
        let after = self.places.add();
        let segment = Segment { before, after, parts: 0, loops: self.loops, cold: false };
        self.charges.push(Charge { edit, segment, checked: false, written: false });
        self.reached = true;
        self.after_call = false;
    }

    /// The current segment ends before this offset, and another follows.
    fn continue_segment(&mut self, offset: usize) {
        if self.reached {
            let place = self.current().segment.after;
            self.begin_segment(offset, place);
        }
    }

    /// Control may go from the end of the current segment to this place.
    fn go_to(&mut self, place: Place) {
        let after = self.current().segment.after;
        self.places.join(after, place);
    }

    /// The current segment. Control must reach it.
    fn current(&mut self) -> &mut Charge {
        self.charges.last_mut().expect("the first segment begins with the function")
    }

    /// Adds to the price of the current segment, if control reaches it.
    fn charge(&mut self, parts: i64) {
        if self.reached {
            let segment = &mut self.current().segment;
            segment.parts = segment.parts.saturating_add(parts).min(PARTS_MAX);
        }
    }

    fn edit(&mut self, offset: usize, action: Action) {
        let depth = self.blocks.len().saturating_sub(1) as u32;
        self.edits.push(Edit { offset, depth, action });
    }

    fn finish(mut self, start: usize, locals: u32, type_index: u32) -> Plan {
        let slots = FRAME_SLOTS.saturating_add(locals).saturating_add(self.max_height);
        let charged = i32::try_from(slots).unwrap_or(i32::MAX);
        let frame = match slots <= LEAF_SLOTS {
            true if self.calls == 0 => Frame::Free,
            true if self.calls == self.last_calls => Frame::AtCalls(charged),
            false if self.calls == 0 => Frame::Checked(charged),
            _ => Frame::Charged(charged),
        };
        let checks = !self.size_charges.is_empty() || self.charges.iter().any(|c| c.checked);
        let sizes = !self.size_charges.is_empty();
        self.place_charges();
        Plan {
            edits: self.edits,
            frame,
            locals,
            type_index,
            branches_out: self.branches_out,
            checks,
            sizes,
            start,
            end: self.end,
            writes_at_end: self.writes_at_end,
            falls_through: self.falls_through,
        }
    }

    /// Completes the edits with what is charged.
    fn place_charges(&mut self) {
        let segments: Vec<Segment> = self.charges.iter().map(|charge| charge.segment).collect();
        self.places.choose(&segments);
        for Charge { edit, segment, checked, written } in &self.charges {
            let parts = self.places.charge(segment);
            let least = checked.then(|| -self.places.advance(segment.after));
            self.edits[*edit].action = Action::Charge { parts, least, written: *written };
        }
        for SizeCharge { edit, parts_each, place } in &self.size_charges {
            let (parts_each, least) = (*parts_each, -self.places.advance(*place));
            self.edits[*edit].action = Action::ChargeSize { parts_each, least };
        }
    }
}
