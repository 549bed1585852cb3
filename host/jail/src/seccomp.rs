//! The filters of system calls, by role. They allow what computing, threads and reading of given
//! files need, and refuse everything else.
//!
//! There are two filters. With the first, calls that are not allowed fail with EPERM. With the
//! second, calls that programs try but do not need fail with ENOSYS, and so do all calls that are
//! newer than the list.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::Role;

mod calls;

/// The id of the process that init forks in a pid namespace; init is 1.
const EXPECTED_PID: u32 = 2;

/// The compiled filters of all roles. Each process installs its own.
pub(crate) struct Filters {
    allowed: Vec<(Role, BpfProgram)>,
    unknown: BpfProgram,
}

impl Filters {
    pub(crate) fn build() -> Result<Self, String> {
        let roles = [Role::Native, Role::Wasm, Role::Compile, Role::Program];
        let allowed = roles.into_iter().map(|role| Ok((role, compile_filter(role, EXPECTED_PID)?)));
        Ok(Self {
            allowed: allowed.collect::<Result<_, String>>()?,
            unknown: compile_unknown_filter(),
        })
    }

    /// Installs the filters permanently for this process, which has one thread.
    pub(crate) fn install(&self, role: Role) -> Result<(), String> {
        let pid = std::process::id();
        let said = |error: seccompiler::Error| error.to_string();
        let made = self.allowed.iter().find(|(it, _)| *it == role && pid == EXPECTED_PID);
        match made {
            Some((_, program)) => seccompiler::apply_filter(program).map_err(said)?,
            None => seccompiler::apply_filter(&compile_filter(role, pid)?).map_err(said)?,
        }
        seccompiler::apply_filter(&self.unknown).map_err(said)
    }
}

/// A condition on an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ArgumentTest {
    /// The argument has this value.
    Is(u64),
    /// Exactly these bits (second) of the mask (first) are set.
    Bits(u64, u64),
    /// The argument is the id of the calling process.
    OwnPid,
}

/// One alternative: all these conditions must hold, each for the argument with the index. A call is
/// allowed if one of its alternatives holds.
pub(crate) type RuleConditions = &'static [(u8, ArgumentTest)];

/// Compiles the filter of a role, for the process with this id.
fn compile_filter(role: Role, pid: u32) -> Result<BpfProgram, String> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = BTreeMap::new();
    for call in calls::unconditional(role) {
        rules.insert(call, Vec::new());
    }
    for (call, alternatives) in calls::conditional(role) {
        let made: Result<Vec<SeccompRule>, String> =
            alternatives.iter().map(|conditions| rule(conditions, pid)).collect();
        rules.insert(call, made?);
    }
    let said = |error: seccompiler::BackendError| error.to_string();
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(said)?;
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch).map_err(said)?;
    filter.try_into().map_err(said)
}

fn rule(conditions: RuleConditions, pid: u32) -> Result<SeccompRule, String> {
    let conditions = conditions.iter().map(|(argument, test)| {
        let (length, test, value) = match *test {
            ArgumentTest::Is(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value),
            ArgumentTest::Bits(mask, value) => {
                (SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(mask), value)
            }
            ArgumentTest::OwnPid => (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, pid.into()),
        };
        SeccompCondition::new(*argument, length, test, value)
    });
    let conditions: Result<Vec<_>, _> = conditions.collect();
    let rule = conditions.and_then(SeccompRule::new);
    rule.map_err(|error| error.to_string())
}

/// Compiles the filter that answers ENOSYS to optional calls and to calls beyond the reviewed ones.
fn compile_unknown_filter() -> BpfProgram {
    const LOAD_NUMBER: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const IF_NOT_LESS: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let calls = calls::OPTIONAL_CALLS;
    let mut program = vec![sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 }];
    for (at, call) in calls.iter().enumerate() {
        // Jump to the refusal: over the remaining comparisons of this loop, the comparison with
        // the first unreviewed call, and the permission.
        let jump = (calls.len() - at - 1 + 2) as u8;
        program.push(sock_filter { code: IF_EQUAL, jt: jump, jf: 0, k: *call as u32 });
    }
    program.push(sock_filter {
        code: IF_NOT_LESS,
        jt: 1,
        jf: 0,
        k: calls::FIRST_UNREVIEWED as u32,
    });
    program.push(sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW });
    let refusal = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    program.push(sock_filter { code: RETURN, jt: 0, jf: 0, k: refusal });
    program
}
