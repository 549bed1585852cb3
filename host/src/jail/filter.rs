//! Which calls of the system an inmate may make, by role: a list of what computing,
//! threads and reading what one was handed need. Whatever is not on it is refused.
//!
//! Two filters: by the first, what is not allowed fails with EPERM; by the second, calls
//! that programs try and can do without fail with ENOSYS, and so does every call that is
//! younger than this list.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::Role;

mod calls;

/// The process that an init forks in a namespace of processes: init is 1.
const USUAL_PID: u32 = 2;

/// The filters, compiled once; an inmate installs its own.
pub struct Filters {
    allowed: Vec<(Role, BpfProgram)>,
    unknown: BpfProgram,
}

impl Filters {
    pub fn build() -> Result<Self, String> {
        let roles = [Role::Native, Role::Wasm, Role::Compile, Role::Program];
        let allowed = roles.into_iter().map(|role| Ok((role, allow(role, USUAL_PID)?)));
        Ok(Self { allowed: allowed.collect::<Result<_, String>>()?, unknown: unknown() })
    }

    /// Installs them for this process, which has one thread, for good.
    pub fn install(&self, role: Role) -> Result<(), String> {
        let pid = std::process::id();
        let said = |error: seccompiler::Error| error.to_string();
        let made = self.allowed.iter().find(|(it, _)| *it == role && pid == USUAL_PID);
        match made {
            Some((_, program)) => seccompiler::apply_filter(program).map_err(said)?,
            None => seccompiler::apply_filter(&allow(role, pid)?).map_err(said)?,
        }
        seccompiler::apply_filter(&self.unknown).map_err(said)
    }
}

/// What is looked at of an argument.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// It is this.
    Is(u64),
    /// Of these bits exactly those are set.
    Bits(u64, u64),
    /// It is the process that asks.
    Oneself,
}

/// A call is allowed when one of the rows holds; in a row, every argument.
pub type Row = &'static [(u8, Test)];

/// The program of a role, for the process with this id.
fn allow(role: Role, pid: u32) -> Result<BpfProgram, String> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = BTreeMap::new();
    for call in calls::freely(role) {
        rules.insert(call, Vec::new());
    }
    for (call, rows) in calls::on_conditions(role) {
        let made: Result<Vec<SeccompRule>, String> =
            rows.iter().map(|row| rule(row, pid)).collect();
        rules.insert(call, made?);
    }
    let said = |error: seccompiler::BackendError| error.to_string();
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(said)?;
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch).map_err(said)?;
    filter.try_into().map_err(said)
}

fn rule(row: Row, pid: u32) -> Result<SeccompRule, String> {
    let conditions = row.iter().map(|(argument, test)| {
        let (length, test, value) = match *test {
            Test::Is(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value),
            Test::Bits(mask, value) => {
                (SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(mask), value)
            }
            Test::Oneself => (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, pid.into()),
        };
        SeccompCondition::new(*argument, length, test, value)
    });
    let conditions: Result<Vec<_>, _> = conditions.collect();
    let rule = conditions.and_then(SeccompRule::new);
    rule.map_err(|error| error.to_string())
}

/// Loads the number of the call; a known one of those that can be done without, or one
/// that is beyond all known, is ENOSYS.
fn unknown() -> BpfProgram {
    const LOAD_NUMBER: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const IF_NOT_LESS: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let calls = calls::DISPENSABLE;
    let mut program = vec![sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 }];
    for (at, call) in calls.iter().enumerate() {
        // Over those that follow, the comparison with the last and the permission.
        let jump = (calls.len() - at - 1 + 2) as u8;
        program.push(sock_filter { code: IF_EQUAL, jt: jump, jf: 0, k: *call as u32 });
    }
    program.push(sock_filter { code: IF_NOT_LESS, jt: 1, jf: 0, k: calls::FIRST_UNKNOWN as u32 });
    program.push(sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW });
    let refusal = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    program.push(sock_filter { code: RETURN, jt: 0, jf: 0, k: refusal });
    program
}
