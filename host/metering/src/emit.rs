//! Writes the body of a function with the insertions of a [`Plan`]. Decides nothing.
//!
//! ```text
//! (func (param …) (result R) (local …) (local $fuel i64)
//!   global[stack] -= frame; if negative: unreachable
//!   $fuel = global[fuel]
//!   block $out_of_fuel
//!     block $body (result R)          ;; if a branch targets the label of the function
//!       …                             ;; the operators and the insertions
//!     end
//!     global[fuel] = $fuel; global[stack] += frame
//!     return
//!   end
//!   global[fuel] = -1
//!   unreachable)
//! ```

use wasm_encoder::{BlockType, Encode, Instruction, ValType};

use crate::added_globals::moved;
use crate::plan::{Action, Edit, Frame, Plan};

/// The indices of the counters, which follow the globals that the module imports itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalIndices {
    /// The counter of fuel.
    pub fuel: u32,
    /// The counter of the stack.
    pub stack: u32,
}

impl GlobalIndices {
    /// The new index of a global of the original module.
    pub(crate) fn map(&self, index: u32) -> u32 {
        moved(index, self.fuel)
    }
}

/// The new body, without its size. `module` is the original module, `result` the type of the
/// function's results as a block.
pub(crate) fn emit(
    plan: &Plan,
    module: &[u8],
    locals: &[(u32, ValType)],
    result: BlockType,
    globals: GlobalIndices,
) -> Vec<u8> {
    let own = OwnLocals::of(plan);
    let mut locals = locals.to_vec();
    locals.extend(own.types.iter().map(|ty| (1, *ty)));
    let mut bytes = Vec::with_capacity((plan.end - plan.start) * 2 + 64);
    locals.len().encode(&mut bytes);
    for (count, ty) in locals {
        count.encode(&mut bytes);
        ty.encode(&mut bytes);
    }
    let mut writer = Writer { plan, globals, own, fuel: plan.locals, bytes };
    writer.begin(result);
    writer.copy(module);
    writer.end();
    writer.bytes
}

/// The most locals that a function gets: a counter, a size, and values of three types of floats.
pub(crate) const OWN_LOCALS_MAX: usize = 5;

/// The locals that a function gets, at most one of each type.
struct OwnLocals {
    /// The index of the first.
    first: u32,
    types: Vec<ValType>,
}

impl OwnLocals {
    fn of(plan: &Plan) -> Self {
        let mut own = Self { first: plan.locals, types: vec![ValType::I64] };
        if plan.sizes {
            own.types.push(ValType::I32);
        }
        for edit in &plan.edits {
            if let Action::Canonicalize(floats) = edit.action
                && !own.types.contains(&floats.ty())
            {
                own.types.push(floats.ty());
            }
        }
        own
    }

    /// The local with this type. The types are those that the plan needs.
    fn of_type(&self, ty: ValType) -> u32 {
        let position = self.types.iter().position(|own| *own == ty);
        self.first + position.expect("the plan was read before") as u32
    }
}

struct Writer<'a> {
    plan: &'a Plan,
    globals: GlobalIndices,
    own: OwnLocals,
    /// The local with the counter of fuel.
    fuel: u32,
    bytes: Vec<u8>,
}

impl Writer<'_> {
    fn add(&mut self, instructions: &[Instruction<'_>]) {
        instructions.iter().for_each(|instruction| instruction.encode(&mut self.bytes));
    }

    fn begin(&mut self, result: BlockType) {
        use Instruction as I;
        let GlobalIndices { fuel, stack, .. } = self.globals;
        match self.plan.frame {
            Frame::Free | Frame::AtCalls(_) => {}
            Frame::Checked(slots) => self.add(&[
                I::GlobalGet(stack),
                I::I32Const(slots),
                I::I32LtS,
                I::If(BlockType::Empty),
                I::GlobalGet(stack),
                I::I32Const(slots),
                I::I32Sub,
                I::GlobalSet(stack),
                I::Unreachable,
                I::End,
            ]),
            Frame::Charged(slots) => self.enter(slots),
        }
        self.add(&[I::GlobalGet(fuel), I::LocalSet(self.fuel)]);
        if self.plan.checks {
            self.add(&[I::Block(BlockType::Empty)]);
        }
        if self.plan.branches_out {
            self.add(&[I::Block(result)]);
        }
    }

    /// Takes a frame of the stack.
    fn enter(&mut self, slots: i32) {
        use Instruction as I;
        let stack = self.globals.stack;
        self.add(&[
            I::GlobalGet(stack),
            I::I32Const(slots),
            I::I32Sub,
            I::GlobalSet(stack),
            I::GlobalGet(stack),
            I::I32Const(0),
            I::I32LtS,
            I::If(BlockType::Empty),
            I::Unreachable,
            I::End,
        ]);
    }

    /// Copies the operators without the last one, and inserts the edits.
    fn copy(&mut self, module: &[u8]) {
        let mut copied = self.plan.start;
        for edit in &self.plan.edits {
            self.bytes.extend_from_slice(&module[copied..edit.offset]);
            copied = edit.offset + self.apply(edit);
        }
        self.bytes.extend_from_slice(&module[copied..self.plan.end]);
    }

    /// Writes an edit. Returns the number of bytes that it replaces.
    fn apply(&mut self, edit: &Edit) -> usize {
        use Instruction as I;
        match edit.action {
            Action::Charge { parts, least, written } => {
                if parts != 0 {
                    self.add(&[I::LocalGet(self.fuel), I::I64Const(parts), I::I64Sub]);
                    self.add(&[I::LocalSet(self.fuel)]);
                }
                if let Some(least) = least {
                    self.check(least, edit.depth);
                }
                if let (true, Frame::AtCalls(slots)) = (written, self.plan.frame) {
                    self.enter(slots);
                }
                if written {
                    self.add(&[I::LocalGet(self.fuel), I::GlobalSet(self.globals.fuel)]);
                }
                0
            }
            Action::ChargeSize { parts_each, least } => {
                let size = self.own.of_type(ValType::I32);
                self.add(&[
                    I::LocalTee(size),
                    I::LocalGet(self.fuel),
                    I::LocalGet(size),
                    I::I64ExtendI32U,
                ]);
                if parts_each != 1 {
                    self.add(&[I::I64Const(parts_each.into()), I::I64Mul]);
                }
                self.add(&[I::I64Sub, I::LocalSet(self.fuel)]);
                self.check(least, edit.depth);
                0
            }
            Action::Reload => {
                self.add(&[I::GlobalGet(self.globals.fuel), I::LocalSet(self.fuel)]);
                0
            }
            Action::GlobalGet { index, len } => {
                self.add(&[I::GlobalGet(self.globals.map(index))]);
                len
            }
            Action::GlobalSet { index, len } => {
                self.add(&[I::GlobalSet(self.globals.map(index))]);
                len
            }
            Action::Return => {
                self.leave(true);
                0
            }
            Action::Canonicalize(floats) => {
                let local = self.own.of_type(floats.ty());
                self.add(&floats.canonicalize(local));
                0
            }
        }
    }

    /// Traps if the counter in the local is too low.
    fn check(&mut self, least: i64, depth: u32) {
        use Instruction as I;
        let out_of_fuel = depth + u32::from(self.plan.branches_out);
        self.add(&[I::LocalGet(self.fuel), I::I64Const(least), I::I64LtS, I::BrIf(out_of_fuel)]);
    }

    /// What happens before the function returns. `writes`: the global of fuel is out of date.
    fn leave(&mut self, writes: bool) {
        use Instruction as I;
        let GlobalIndices { fuel, stack, .. } = self.globals;
        if writes {
            self.add(&[I::LocalGet(self.fuel), I::GlobalSet(fuel)]);
        }
        if let Frame::Charged(slots) = self.plan.frame {
            self.add(&[I::GlobalGet(stack), I::I32Const(slots), I::I32Add, I::GlobalSet(stack)]);
        }
    }

    fn end(&mut self) {
        use Instruction as I;
        if self.plan.branches_out {
            self.add(&[I::End]);
        }
        if self.plan.falls_through {
            self.leave(self.plan.writes_at_end);
        }
        if self.plan.checks {
            self.add(&[
                I::Return,
                I::End,
                I::I64Const(-1),
                I::GlobalSet(self.globals.fuel),
                I::Unreachable,
            ]);
        }
        self.add(&[I::End]);
    }
}
