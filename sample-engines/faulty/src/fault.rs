//! The table of misbehaviours, by the words of the option `fault`. The engine implements them.

/// All misbehaviours with their words.
pub(crate) const FAULTS: &[(&str, Fault)] = &[
    ("none", Fault::None),
    ("query-host", Fault::QueryHost),
    ("panic", Fault::Panic),
    ("panic-in-played", Fault::PanicInPlayed),
    ("panic-in-start", Fault::PanicInStart),
    ("loop", Fault::Loop),
    ("loop-in-start", Fault::LoopInStart),
    ("loop-in-played", Fault::LoopInPlayed),
    ("report-then-loop", Fault::ReportThenLoop),
    ("report-illegal-then-loop", Fault::ReportIllegalThenLoop),
    ("overrun", Fault::Overrun),
    ("sleep", Fault::Sleep),
    ("stack", Fault::OverflowStack),
    ("memory", Fault::ExhaustMemory),
    ("error", Fault::Error),
    ("refuse-start", Fault::RefuseStart),
    ("occupied-point", Fault::OccupiedPoint),
    ("occupied-point-once", Fault::OccupiedPointOnce),
    ("malformed-move", Fault::MalformedMove),
    ("huge-move", Fault::HugeMove),
    ("huge-line", Fault::HugeLine),
    ("huge-log", Fault::HugeLog),
    ("log-flood", Fault::LogFlood),
    ("report-flood", Fault::ReportFlood),
    ("resign", Fault::Resign),
    ("offer-draw", Fault::OfferDraw),
    ("accept-draw", Fault::AcceptDraw),
    ("ignore-stop", Fault::NullListener),
    ("ignore-clock", Fault::IgnoreClock),
    ("ignore-depth", Fault::IgnoreDepth),
    ("ignore-barred", Fault::IgnoreBarred),
    ("ignore-undo", Fault::IgnoreUndo),
    ("ignore-seed", Fault::IgnoreSeed),
    ("depend-on-instances", Fault::DependOnInstances),
    ("leak", Fault::Leak),
    ("report-illegal-line", Fault::ReportIllegalLine),
    ("report-other-move", Fault::ReportOtherMove),
    ("accept-invalid-setup", Fault::AcceptInvalidSetup),
    ("panic-on-invalid-setup", Fault::PanicOnInvalidSetup),
    ("use-shared-state", Fault::UseSharedState),
    ("panic-as-helper", Fault::PanicAsHelper),
    ("loop-as-helper", Fault::LoopAsHelper),
    ("flood-as-helper", Fault::FloodAsHelper),
    ("refuse-as-helper", Fault::RefuseAsHelper),
    ("ignore-stop-as-helper", Fault::IgnoreStopAsHelper),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// No misbehaviour: makes every call to the host and logs the answers.
    QueryHost,
    Panic,
    PanicInPlayed,
    PanicInStart,
    Loop,
    LoopInStart,
    LoopInPlayed,
    ReportThenLoop,
    ReportIllegalThenLoop,
    Overrun,
    /// Never returns, and uses no CPU time (except in wasm, where it spins).
    Sleep,
    OverflowStack,
    ExhaustMemory,
    Error,
    RefuseStart,
    OccupiedPoint,
    OccupiedPointOnce,
    MalformedMove,
    HugeMove,
    HugeLine,
    HugeLog,
    LogFlood,
    ReportFlood,
    Resign,
    OfferDraw,
    AcceptDraw,
    /// Without a limit it never returns, even if `left()` is 0.
    NullListener,
    /// Keeps limits per move, and ignores the clock of the game.
    IgnoreClock,
    /// Without a time limit it ignores limits of depth and nodes.
    IgnoreDepth,
    IgnoreBarred,
    IgnoreUndo,
    /// Chooses by a counter that all instances of a process share.
    IgnoreSeed,
    /// Plays differently while another instance exists.
    DependOnInstances,
    Leak,
    /// Reports a line whose second move is illegal.
    ReportIllegalLine,
    /// Reports another move than it plays.
    ReportOtherMove,
    /// Starts a default game if the setup is invalid.
    AcceptInvalidSetup,
    PanicOnInvalidSetup,
    /// No misbehaviour: helpers register in the shared table and cells, and the leader logs them.
    UseSharedState,
    /// Like the misbehaviours above, but only as a helper: in `think` or in `start`.
    PanicAsHelper,
    LoopAsHelper,
    FloodAsHelper,
    RefuseAsHelper,
    /// Works for a fixed time, and ignores stops.
    IgnoreStopAsHelper,
}
