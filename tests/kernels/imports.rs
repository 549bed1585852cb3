//! Kernels of the host's functions. The text at 4096 repeats a line of fifteen moves.

use super::{Kernel, many, single};

pub(super) fn kernels() -> Vec<Kernel> {
    let text = |name, call: &str, bytes: u32| {
        single(name, "", &format!("({call} (i32.const 4096) (i32.const {bytes}) (i32.const 1024))"))
    };
    let log = |name, bytes: u32| {
        let call = format!("(call $log (i32.const 3) (i32.const 4096) (i32.const {bytes}))");
        single(name, "", &call)
    };
    let report = |name, bytes: u32| {
        let call = format!(
            "(call $report (i32.const 1) (i32.const 1) (i32.const 5) (i32.const 0) (i32.const 7)
               (i64.const 100) (i64.const 200) (i32.const 4096) (i32.const {bytes}))"
        );
        single(name, "", &call)
    };
    let asset = |name, bytes: u32| {
        let call = format!(
            "(call $asset (i32.const 4099) (i32.const 2) (i64.const 0) (i32.const {bytes})
               (i32.const 1024))"
        );
        single(name, "", &call)
    };
    vec![
        many("left", "", "(local.set $c (call $left))"),
        many("probe", "", "(local.set $c (call $probe (local.get $c)))"),
        many("store", "", "(call $store (local.get $c) (local.get $d))"),
        many("cell", "", "(local.set $c (call $cell (i32.const 5) (i32.const 2) (i64.const 1)))"),
        log("log nothing", 0),
        log("log 100 bytes", 100),
        log("log 4000 bytes", 4000),
        report("report nothing", 0),
        report("report 45 bytes", 45),
        report("report 900 bytes", 900),
        text("legal", "call $legal", 0),
        text("legal after 15 moves", "call $legal", 50),
        text("look", "call $look", 0),
        text("look after 15 moves", "call $look", 50),
        text("look, refused", "call $look", 900)
            .with_deviation("a refused line is charged in full"),
        asset("asset, 6 bytes", 6),
        asset("asset, 64 KiB", 64 * 1024),
        asset("asset, 960 KiB", 960 * 1024),
    ]
}
