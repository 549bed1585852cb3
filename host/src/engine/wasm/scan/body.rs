//! Looks at the body of a function: whether it is valid, how deep it goes, and how much
//! its branches carry. To a compiler a local is a new variable wherever branches meet, so
//! that few bytes of many branches over many locals keep it busy for minutes: 12 KB with
//! 500 loops inside each other and 1,000 locals take more than 100 s.

use wasmparser::{
    BinaryReader, FuncToValidate, FuncValidator, FuncValidatorAllocations, FunctionBody,
    ValidatorResources,
};

use super::tally::Tally;
use super::{FEATURES, Refusal, Thing};

/// What operators begin with in the binary format.
const BLOCK: u8 = 0x02;
const LOOP: u8 = 0x03;
const IF: u8 = 0x04;
const BR: u8 = 0x0c;
const BR_IF: u8 = 0x0d;
const BR_TABLE: u8 = 0x0e;

/// What the branches of a function carry, so far.
#[derive(Default)]
struct Carried {
    locals: u64,
    /// For each loop around the place: how deep its inside is, and what it carries.
    loops: Vec<(usize, u64)>,
    by_loops: u64,
    most_by_loops: u64,
    by_branches: u64,
}

/// As [`FuncValidator::validate`], with an eye on the caps.
pub fn look(
    function: FuncToValidate<ValidatorResources>,
    body: &FunctionBody<'_>,
    room: FuncValidatorAllocations,
    tally: &mut Tally<'_>,
) -> Result<FuncValidatorAllocations, Refusal> {
    let mut validator = function.into_validator(room);
    let mut reader = body.get_binary_reader();
    validator.read_locals(&mut reader)?;
    reader.set_features(FEATURES);
    let mut carried = Carried { locals: validator.len_locals().into(), ..Carried::default() };
    while !reader.eof() {
        let at = reader.original_position();
        let before = reader.clone();
        reader.visit_operator(&mut validator.visitor(at))??;
        // The function itself is the outermost frame.
        let depth = validator.control_stack_height().saturating_sub(1);
        tally.check(Thing::Nesting, depth.into(), at)?;
        carried.add(before, depth as usize, &validator, tally)?;
    }
    reader.finish_expression(&validator.visitor(reader.original_position()))?;
    let at = body.range().start;
    tally.add(Thing::AllLoopLocals, carried.most_by_loops, at)?;
    tally.add(Thing::AllBranchLocals, carried.by_branches, at)?;
    Ok(validator.into_allocations())
}

impl Carried {
    /// One more operator, which was found valid; `depth` is how deep it is after it.
    fn add(
        &mut self,
        mut operator: BinaryReader<'_>,
        depth: usize,
        validator: &FuncValidator<ValidatorResources>,
        tally: &Tally<'_>,
    ) -> Result<(), Refusal> {
        let at = operator.original_position();
        while let Some((_, carries)) = self.loops.pop_if(|(inside, _)| *inside > depth) {
            self.by_loops -= carries;
        }
        let branches = match operator.read_u8()? {
            LOOP => {
                let carries = self.locals + parameters(validator);
                self.loops.push((depth, carries));
                self.by_loops += carries;
                self.most_by_loops = self.most_by_loops.max(self.by_loops);
                tally.check(Thing::LoopLocals, self.by_loops, at)?;
                1
            }
            BLOCK | IF | BR | BR_IF => 1,
            // And the one that is taken when no other is.
            BR_TABLE => u64::from(operator.read_var_u32()?) + 1,
            _ => return Ok(()),
        };
        self.by_branches += branches * self.locals;
        tally.check(Thing::BranchLocals, self.by_branches, at)
    }
}

/// How many values the block that was just begun takes from the stack.
fn parameters(validator: &FuncValidator<ValidatorResources>) -> u64 {
    let below = validator.get_control_frame(0).map_or(0, |frame| frame.height);
    u64::from(validator.operand_stack_height()).saturating_sub(below as u64)
}
