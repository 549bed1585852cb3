//! Kernels of loads, stores and bulk memory operations.

use super::{CHAINED, DEAREST, Kernel, RANDOM, many, single};

const FAR: &str = "cache misses take time that no count can predict";
const CHEAPEST: &str = "a byte has the minimum price";

pub(super) fn kernels() -> Vec<Kernel> {
    let plain = |name, once: &str| many(name, "", once);
    let bulk = |name, once: &str| single(name, "", once);
    let far = "(i32.add (i32.const 0x100000) \
               (i32.and (i32.wrap_i64 (local.get $c)) (i32.const 0xfffff8)))";
    vec![
        plain(
            "i32 load, chained",
            "(local.set $a (i32.add (local.get $a)
               (i32.load offset=4096 (i32.and (local.get $a) (i32.const 0xff)))))",
        )
        .with_deviation(CHAINED),
        plain(
            "i32 load",
            "(local.set $a (i32.add (local.get $a)
               (i32.load offset=4096 (i32.and (local.get $w) (i32.const 0x3c)))))
             (local.set $w (i32.add (local.get $w) (i32.const 12)))",
        ),
        plain(
            "i64 load of a byte, chained",
            "(local.set $c (i64.add (local.get $c) (i64.load8_u offset=4096
               (i32.and (i32.wrap_i64 (local.get $c)) (i32.const 0xff)))))",
        )
        .with_deviation(CHAINED),
        plain(
            "i32 store",
            "(i32.store offset=8192 (local.get $b) (local.get $a))
             (i32.store8 offset=8200 (local.get $b) (local.get $a))
             (local.set $b (i32.xor (local.get $b) (i32.const 12)))",
        ),
        plain(
            "load and store",
            "(i32.store offset=8192 (i32.and (local.get $w) (i32.const 0x3c))
               (i32.add (i32.const 1)
                 (i32.load offset=8192 (i32.and (local.get $w) (i32.const 0x3c)))))
             (local.set $w (i32.add (local.get $w) (i32.const 12)))",
        ),
        plain(
            "random load of 16 MiB, chained",
            &format!("{RANDOM} (local.set $c (i64.xor (local.get $c) (i64.load {far})))"),
        )
        .with_deviation(FAR),
        plain(
            "random load of 16 MiB",
            &format!("{RANDOM} (local.set $e (i64.add (local.get $e) (i64.load {far})))"),
        )
        .with_deviation(FAR),
        bulk("fill 64 bytes", "(memory.fill (i32.const 8192) (i32.const 0) (i32.const 64))"),
        bulk("fill 16 KiB", "(memory.fill (i32.const 0x10000) (i32.const 0) (i32.const 0x4000))")
            .with_deviation(CHEAPEST),
        bulk(
            "fill 16 MiB",
            "(memory.fill (i32.const 0x100000) (i32.const 0) (i32.const 0x1000000))",
        )
        .with_deviation(CHEAPEST),
        bulk("copy 64 bytes", "(memory.copy (i32.const 8192) (i32.const 4096) (i32.const 64))"),
        bulk(
            "copy 200 bytes, length not known before",
            "(memory.copy (i32.const 8192) (i32.const 4096)
               (i32.add (local.get $b) (i32.const 193)))",
        ),
        bulk(
            "copy 16 KiB",
            "(memory.copy (i32.const 0x10000) (i32.const 0x14000) (i32.const 0x4000))",
        )
        .with_deviation(CHEAPEST),
        bulk(
            "copy 8 MiB",
            "(memory.copy (i32.const 0x100000) (i32.const 0x900000) (i32.const 0x800000))",
        ),
        single(
            "init 32 bytes",
            "(data $d \"0123456789abcdef0123456789abcdef\")",
            "(memory.init $d (i32.const 8192) (i32.const 0) (i32.const 32))",
        ),
        bulk("grow by nothing", "(local.set $a (memory.grow (i32.const 0)))")
            .with_deviation(DEAREST),
        bulk("grow by too much", "(local.set $a (memory.grow (i32.const 60000)))")
            .with_deviation("pages are charged on request"),
        plain("memory size", "(local.set $a (i32.add (local.get $a) (memory.size)))"),
    ]
}
