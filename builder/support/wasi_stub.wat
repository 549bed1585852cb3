;; WASI preview 1 for a sandbox: no files, no arguments, no environment variables. It replaces WASI
;; for modules of languages that need it. It imports the memory of the module, and `log` of the host.
;;
;; Results depend only on the calls before. The clock begins at 0; each reading adds 1 µs, and each
;; sleep adds its duration. Random numbers are a fixed sequence. Standard output and standard error go
;; to the engine's log, line by line. Error numbers are those of the standard's `errno`.
(module
  (import "sandboard:engine/host@1.0.0" "log" (func $log (param $level i32) (param $at i32) (param $bytes i32)))
  (import "env" "memory" (memory 0))

  (global $now_ns (mut i64) (i64.const 0))
  (global $chance (mut i64) (i64.const 0x5a6d626f61726431))

  ;; Empty lists: the number of entries and of bytes is 0.
  (func $none (param $count i32) (param $bytes i32) (result i32)
    (i32.store (local.get $count) (i32.const 0))
    (i32.store (local.get $bytes) (i32.const 0))
    (i32.const 0))
  (func $nothing (param i32 i32) (result i32) (i32.const 0))
  (export "args_sizes_get" (func $none))
  (export "environ_sizes_get" (func $none))
  (export "args_get" (func $nothing))
  (export "environ_get" (func $nothing))

  (func (export "clock_res_get") (param $clock i32) (param $out i32) (result i32)
    (i64.store (local.get $out) (i64.const 1000))
    (i32.const 0))
  (func (export "clock_time_get") (param $clock i32) (param $precision i64) (param $out i32) (result i32)
    (global.set $now_ns (i64.add (global.get $now_ns) (i64.const 1000)))
    (i64.store (local.get $out) (global.get $now_ns))
    (i32.const 0))

  ;; SplitMix64 (Steele et al. 2014), one byte of each number.
  (func (export "random_get") (param $at i32) (param $bytes i32) (result i32)
    (local $z i64)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $bytes)))
        (global.set $chance (i64.add (global.get $chance) (i64.const 0x9e3779b97f4a7c15)))
        (local.set $z (global.get $chance))
        (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 30)))
          (i64.const 0xbf58476d1ce4e5b9)))
        (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27)))
          (i64.const 0x94d049bb133111eb)))
        (i64.store8 (local.get $at) (i64.shr_u (local.get $z) (i64.const 31)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $bytes (i32.sub (local.get $bytes) (i32.const 1)))
        (br $next)))
    (i32.const 0))

  ;; The line that a program has begun. A program may write a line in many pieces: they are collected
  ;; here until the newline. The stub has no memory of its own, and must not grow that of the module:
  ;; Go's allocator assumes that the pages that it adds are contiguous (runtime/mem_wasm.go). So the
  ;; bytes are in globals: whole words of 8 bytes, the last of them in $w31, then the rest in $tail.
  ;; To log them, the stub exchanges them with the first bytes of the memory, and then exchanges them
  ;; back. Nothing else runs in between: `log` only reads its text.
  (global $w0 (mut i64) (i64.const 0)) (global $w1 (mut i64) (i64.const 0))
  (global $w2 (mut i64) (i64.const 0)) (global $w3 (mut i64) (i64.const 0))
  (global $w4 (mut i64) (i64.const 0)) (global $w5 (mut i64) (i64.const 0))
  (global $w6 (mut i64) (i64.const 0)) (global $w7 (mut i64) (i64.const 0))
  (global $w8 (mut i64) (i64.const 0)) (global $w9 (mut i64) (i64.const 0))
  (global $w10 (mut i64) (i64.const 0)) (global $w11 (mut i64) (i64.const 0))
  (global $w12 (mut i64) (i64.const 0)) (global $w13 (mut i64) (i64.const 0))
  (global $w14 (mut i64) (i64.const 0)) (global $w15 (mut i64) (i64.const 0))
  (global $w16 (mut i64) (i64.const 0)) (global $w17 (mut i64) (i64.const 0))
  (global $w18 (mut i64) (i64.const 0)) (global $w19 (mut i64) (i64.const 0))
  (global $w20 (mut i64) (i64.const 0)) (global $w21 (mut i64) (i64.const 0))
  (global $w22 (mut i64) (i64.const 0)) (global $w23 (mut i64) (i64.const 0))
  (global $w24 (mut i64) (i64.const 0)) (global $w25 (mut i64) (i64.const 0))
  (global $w26 (mut i64) (i64.const 0)) (global $w27 (mut i64) (i64.const 0))
  (global $w28 (mut i64) (i64.const 0)) (global $w29 (mut i64) (i64.const 0))
  (global $w30 (mut i64) (i64.const 0)) (global $w31 (mut i64) (i64.const 0))
  (global $tail (mut i64) (i64.const 0))
  ;; The length of the line, at most 256 bytes.
  (global $bytes (mut i32) (i32.const 0))
  ;; The descriptor that the line is for: 1 or 2, or 3 for the stub's own last words.
  (global $stream (mut i32) (i32.const 1))
  ;; Whether a line of the program gave the reason for its end.
  (global $has_reason (mut i32) (i32.const 0))

  ;; Appends a byte to the line. A line that is too long is logged in pieces of whole characters: a
  ;; character of several bytes (the first is c0 or more) may not fit after 253 bytes.
  (func $append (param $byte i32)
    (if (i32.gt_u (global.get $bytes) (i32.const 252))
      (then
        (if (i32.or
              (i32.ge_u (local.get $byte) (i32.const 0xc0))
              (i32.eq (global.get $bytes) (i32.const 256)))
          (then (call $end_line)))))
    ;; The number of bits to shift by is used modulo 64.
    (global.set $tail (i64.or (global.get $tail)
      (i64.shl (i64.extend_i32_u (local.get $byte)) (i64.extend_i32_u (i32.shl (global.get $bytes) (i32.const 3))))))
    (global.set $bytes (i32.add (global.get $bytes) (i32.const 1)))
    (if (i32.and (global.get $bytes) (i32.const 7)) (then (return)))
    (global.set $w0 (global.get $w1)) (global.set $w1 (global.get $w2))
    (global.set $w2 (global.get $w3)) (global.set $w3 (global.get $w4))
    (global.set $w4 (global.get $w5)) (global.set $w5 (global.get $w6))
    (global.set $w6 (global.get $w7)) (global.set $w7 (global.get $w8))
    (global.set $w8 (global.get $w9)) (global.set $w9 (global.get $w10))
    (global.set $w10 (global.get $w11)) (global.set $w11 (global.get $w12))
    (global.set $w12 (global.get $w13)) (global.set $w13 (global.get $w14))
    (global.set $w14 (global.get $w15)) (global.set $w15 (global.get $w16))
    (global.set $w16 (global.get $w17)) (global.set $w17 (global.get $w18))
    (global.set $w18 (global.get $w19)) (global.set $w19 (global.get $w20))
    (global.set $w20 (global.get $w21)) (global.set $w21 (global.get $w22))
    (global.set $w22 (global.get $w23)) (global.set $w23 (global.get $w24))
    (global.set $w24 (global.get $w25)) (global.set $w25 (global.get $w26))
    (global.set $w26 (global.get $w27)) (global.set $w27 (global.get $w28))
    (global.set $w28 (global.get $w29)) (global.set $w29 (global.get $w30))
    (global.set $w30 (global.get $w31)) (global.set $w31 (global.get $tail))
    (global.set $tail (i64.const 0)))

  ;; Appends the bytes of a word up to the first 0, and a number in decimal.
  (func $append_word (param $word i64)
    (loop $next
      (call $append (i32.wrap_i64 (i64.and (local.get $word) (i64.const 0xff))))
      (local.set $word (i64.shr_u (local.get $word) (i64.const 8)))
      (br_if $next (i64.ne (local.get $word) (i64.const 0)))))
  (func $append_number (param $number i32)
    (if (i32.gt_u (local.get $number) (i32.const 9))
      (then (call $append_number (i32.div_u (local.get $number) (i32.const 10)))))
    (call $append (i32.add (i32.const 0x30) (i32.rem_u (local.get $number) (i32.const 10)))))

  ;; Writes a word to the memory; returns the word that was there.
  (func $exchange (param $at i32) (param $word i64) (result i64)
    (i64.load (local.get $at))
    (i64.store (local.get $at) (local.get $word)))
  (func $exchange_line
    (global.set $w0 (call $exchange (i32.const 0) (global.get $w0)))
    (global.set $w1 (call $exchange (i32.const 8) (global.get $w1)))
    (global.set $w2 (call $exchange (i32.const 16) (global.get $w2)))
    (global.set $w3 (call $exchange (i32.const 24) (global.get $w3)))
    (global.set $w4 (call $exchange (i32.const 32) (global.get $w4)))
    (global.set $w5 (call $exchange (i32.const 40) (global.get $w5)))
    (global.set $w6 (call $exchange (i32.const 48) (global.get $w6)))
    (global.set $w7 (call $exchange (i32.const 56) (global.get $w7)))
    (global.set $w8 (call $exchange (i32.const 64) (global.get $w8)))
    (global.set $w9 (call $exchange (i32.const 72) (global.get $w9)))
    (global.set $w10 (call $exchange (i32.const 80) (global.get $w10)))
    (global.set $w11 (call $exchange (i32.const 88) (global.get $w11)))
    (global.set $w12 (call $exchange (i32.const 96) (global.get $w12)))
    (global.set $w13 (call $exchange (i32.const 104) (global.get $w13)))
    (global.set $w14 (call $exchange (i32.const 112) (global.get $w14)))
    (global.set $w15 (call $exchange (i32.const 120) (global.get $w15)))
    (global.set $w16 (call $exchange (i32.const 128) (global.get $w16)))
    (global.set $w17 (call $exchange (i32.const 136) (global.get $w17)))
    (global.set $w18 (call $exchange (i32.const 144) (global.get $w18)))
    (global.set $w19 (call $exchange (i32.const 152) (global.get $w19)))
    (global.set $w20 (call $exchange (i32.const 160) (global.get $w20)))
    (global.set $w21 (call $exchange (i32.const 168) (global.get $w21)))
    (global.set $w22 (call $exchange (i32.const 176) (global.get $w22)))
    (global.set $w23 (call $exchange (i32.const 184) (global.get $w23)))
    (global.set $w24 (call $exchange (i32.const 192) (global.get $w24)))
    (global.set $w25 (call $exchange (i32.const 200) (global.get $w25)))
    (global.set $w26 (call $exchange (i32.const 208) (global.get $w26)))
    (global.set $w27 (call $exchange (i32.const 216) (global.get $w27)))
    (global.set $w28 (call $exchange (i32.const 224) (global.get $w28)))
    (global.set $w29 (call $exchange (i32.const 232) (global.get $w29)))
    (global.set $w30 (call $exchange (i32.const 240) (global.get $w30)))
    (global.set $w31 (call $exchange (i32.const 248) (global.get $w31)))
    (global.set $tail (call $exchange (i32.const 256) (global.get $tail))))

  ;; Logs the line and begins the next one.
  (func $end_line
    (local $at i32)
    (local $end i32)
    (call $exchange_line)
    (local.set $at (i32.sub (i32.const 256) (i32.and (global.get $bytes) (i32.const 0x1f8))))
    (local.set $end (i32.add (local.get $at) (global.get $bytes)))
    (call $repair (local.get $at) (local.get $end))
    (call $say (local.get $at) (local.get $end))
    (call $exchange_line)
    (global.set $tail (i64.const 0))
    (global.set $bytes (i32.const 0)))

  ;; Logs a line that was begun and not ended.
  (func $flush
    (if (global.get $bytes) (then (call $end_line))))

  ;; Logs a text. Standard output has the level `info` (2), standard error `warning` (1). A line that
  ;; begins with `fatal error: ` or `panic: ` is `fatal` (0): with such a line Go explains why the
  ;; program ends. The host makes it the reason of the fault, if the program then ends.
  (func $say (param $at i32) (param $end i32)
    (local $bytes i32)
    (local $level i32)
    (local.set $bytes (i32.sub (local.get $end) (local.get $at)))
    (local.set $level (i32.sub (i32.const 3) (global.get $stream)))
    (if (call $is_reason (local.get $at) (local.get $bytes))
      (then
        (global.set $has_reason (i32.const 1))
        (local.set $level (i32.const 0))))
    (call $log (local.get $level) (local.get $at) (local.get $bytes)))

  ;; Compares words of 8 bytes: `panic: `, and `fatal er` before ` error: `.
  (func $is_reason (param $at i32) (param $bytes i32) (result i32)
    (local $word i64)
    (if (i32.lt_u (local.get $bytes) (i32.const 8)) (then (return (i32.const 0))))
    (local.set $word (i64.load (local.get $at)))
    (if (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffffff)) (i64.const 0x203a63696e6170))
      (then (return (i32.const 1))))
    (if (i32.lt_u (local.get $bytes) (i32.const 13)) (then (return (i32.const 0))))
    (i32.and
      (i64.eq (local.get $word) (i64.const 0x7265206c61746166))
      (i64.eq (i64.load offset=5 (local.get $at)) (i64.const 0x203a726f72726520))))

  ;; Replaces each byte that is not part of a character by `?`: the host refuses such a text.
  (func $repair (param $at i32) (param $end i32)
    (loop $next
      (local.set $at (call $first_invalid (local.get $at) (local.get $end)))
      (if (i32.eq (local.get $at) (local.get $end)) (then (return)))
      (i32.store8 (local.get $at) (i32.const 0x3f))
      (br $next)))

  ;; The address of the first byte that is not part of a character in UTF-8 (Unicode 17, table 3-7);
  ;; the end if there is none.
  (func $first_invalid (param $at i32) (param $end i32) (result i32)
    (local $lead i32)
    (local $length i32)
    (local $least i32)
    (local $most i32)
    (loop $next
      (if (i32.eq (local.get $at) (local.get $end)) (then (return (local.get $end))))
      (local.set $lead (i32.load8_u (local.get $at)))
      (if (i32.lt_u (local.get $lead) (i32.const 0x80))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next)))
      (if (i32.or (i32.lt_u (local.get $lead) (i32.const 0xc2)) (i32.gt_u (local.get $lead) (i32.const 0xf4)))
        (then (return (local.get $at))))
      (local.set $length (i32.add (i32.const 2)
        (i32.add (i32.ge_u (local.get $lead) (i32.const 0xe0)) (i32.ge_u (local.get $lead) (i32.const 0xf0)))))
      (if (i32.gt_u (local.get $length) (i32.sub (local.get $end) (local.get $at)))
        (then (return (local.get $at))))
      ;; The second byte excludes long forms, surrogates, and numbers above 10FFFF.
      (local.set $least (i32.const 0x80))
      (local.set $most (i32.const 0xbf))
      (if (i32.eq (local.get $lead) (i32.const 0xe0)) (then (local.set $least (i32.const 0xa0))))
      (if (i32.eq (local.get $lead) (i32.const 0xed)) (then (local.set $most (i32.const 0x9f))))
      (if (i32.eq (local.get $lead) (i32.const 0xf0)) (then (local.set $least (i32.const 0x90))))
      (if (i32.eq (local.get $lead) (i32.const 0xf4)) (then (local.set $most (i32.const 0x8f))))
      (if (i32.gt_u
            (i32.sub (i32.load8_u offset=1 (local.get $at)) (local.get $least))
            (i32.sub (local.get $most) (local.get $least)))
        (then (return (local.get $at))))
      (if (i32.gt_u (local.get $length) (i32.const 2))
        (then
          (if (i32.ne (i32.and (i32.load8_u offset=2 (local.get $at)) (i32.const 0xc0)) (i32.const 0x80))
            (then (return (local.get $at))))))
      (if (i32.gt_u (local.get $length) (i32.const 3))
        (then
          (if (i32.ne (i32.and (i32.load8_u offset=3 (local.get $at)) (i32.const 0xc0)) (i32.const 0x80))
            (then (return (local.get $at))))))
      (local.set $at (i32.add (local.get $at) (local.get $length)))
      (br $next))
    (unreachable))

  ;; Logs the lines of a piece, and keeps what follows the last newline. A whole line of at most 4096
  ;; bytes, the longest text of the log, is logged where it is; any other is collected first.
  (func $write (param $at i32) (param $end i32)
    (local $stop i32)
    (loop $line
      (local.set $stop (local.get $at))
      (block $found
        (loop $scan
          (if (i32.eq (local.get $stop) (local.get $end))
            (then
              (call $collect (local.get $at) (local.get $end))
              (return)))
          (br_if $found (i32.eq (i32.load8_u (local.get $stop)) (i32.const 0x0a)))
          (local.set $stop (i32.add (local.get $stop) (i32.const 1)))
          (br $scan)))
      (if (call $can_say (local.get $at) (local.get $stop))
        (then (call $say (local.get $at) (local.get $stop)))
        (else
          (call $collect (local.get $at) (local.get $stop))
          (call $end_line)))
      (local.set $at (i32.add (local.get $stop) (i32.const 1)))
      (br $line)))
  (func $collect (param $at i32) (param $end i32)
    (loop $next
      (if (i32.eq (local.get $at) (local.get $end)) (then (return)))
      (call $append (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $next)))
  (func $can_say (param $at i32) (param $end i32) (result i32)
    (if (global.get $bytes) (then (return (i32.const 0))))
    (if (i32.gt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 4096)) (then (return (i32.const 0))))
    (i32.eq (call $first_invalid (local.get $at) (local.get $end)) (local.get $end)))

  (func $is_output (param $fd i32) (result i32)
    (i32.lt_u (i32.sub (local.get $fd) (i32.const 1)) (i32.const 2)))

  ;; Another descriptor is not open: EBADF. A piece beyond the memory: EFAULT.
  (func (export "fd_write") (param $fd i32) (param $pieces i32) (param $count i32) (param $out i32) (result i32)
    (local $at i32)
    (local $bytes i32)
    (local $sum i32)
    (if (i32.eqz (call $is_output (local.get $fd))) (then (return (i32.const 8))))
    (if (i32.ne (local.get $fd) (global.get $stream))
      (then
        (call $flush)
        (global.set $stream (local.get $fd))))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $at (i32.load (local.get $pieces)))
        (local.set $bytes (i32.load offset=4 (local.get $pieces)))
        (if (i64.gt_u
              (i64.add (i64.extend_i32_u (local.get $at)) (i64.extend_i32_u (local.get $bytes)))
              (i64.shl (i64.extend_i32_u (memory.size)) (i64.const 16)))
          (then (return (i32.const 21))))
        (call $write (local.get $at) (i32.add (local.get $at) (local.get $bytes)))
        (local.set $sum (i32.add (local.get $sum) (local.get $bytes)))
        (local.set $pieces (i32.add (local.get $pieces) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.store (local.get $out) (local.get $sum))
    (i32.const 0))

  ;; Logs what was written without a newline.
  (func $sync (param $fd i32) (result i32)
    (if (i32.eqz (call $is_output (local.get $fd))) (then (return (i32.const 8))))
    (if (i32.eq (local.get $fd) (global.get $stream)) (then (call $flush)))
    (i32.const 0))
  (export "fd_sync" (func $sync))
  (export "fd_datasync" (func $sync))

  ;; Output is a character device (2) that can be written (bit 6) and synced (bits 0 and 4): libraries
  ;; in C then write each line at once.
  (func (export "fd_fdstat_get") (param $fd i32) (param $out i32) (result i32)
    (if (i32.eqz (call $is_output (local.get $fd))) (then (return (i32.const 8))))
    (i64.store (local.get $out) (i64.const 2))
    (i64.store offset=8 (local.get $out) (i64.const 0x51))
    (i64.store offset=16 (local.get $out) (i64.const 0))
    (i32.const 0))

  ;; No file is open: EBADF.
  (func (export "fd_close") (param i32) (result i32) (i32.const 8))
  (func (export "fd_read") (param i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_seek") (param i32 i64 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_set_flags") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_filestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_dir_name") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_readdir") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "path_filestat_get") (param i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_open") (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_advise") (param i32 i64 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_allocate") (param i32 i64 i64) (result i32) (i32.const 8))
  (func (export "fd_fdstat_set_rights") (param i32 i64 i64) (result i32) (i32.const 8))
  (func (export "fd_filestat_set_size") (param i32 i64) (result i32) (i32.const 8))
  (func (export "fd_filestat_set_times") (param i32 i64 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_pread") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_pwrite") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_renumber") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_tell") (param i32 i32) (result i32) (i32.const 8))
  (func (export "path_create_directory") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_filestat_set_times") (param i32 i32 i32 i32 i64 i64 i32) (result i32) (i32.const 8))
  (func (export "path_link") (param i32 i32 i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_readlink") (param i32 i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_remove_directory") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_rename") (param i32 i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_symlink") (param i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_unlink_file") (param i32 i32 i32) (result i32) (i32.const 8))
  ;; There is no network: ENOTSUP.
  (func (export "sock_accept") (param i32 i32 i32) (result i32) (i32.const 58))
  (func (export "sock_recv") (param i32 i32 i32 i32 i32 i32) (result i32) (i32.const 58))
  (func (export "sock_send") (param i32 i32 i32 i32 i32) (result i32) (i32.const 58))
  (func (export "sock_shutdown") (param i32 i32) (result i32) (i32.const 58))

  (func (export "sched_yield") (result i32) (i32.const 0))

  ;; A sleep returns at once and advances the clock. Other events cannot be awaited: ENOTSUP.
  (func (export "poll_oneoff") (param $asked i32) (param $events i32) (param $count i32) (param $out i32) (result i32)
    (local $at i32)
    (i32.store (local.get $out) (i32.const 0))
    (loop $next
      (if (i32.eqz (local.get $count)) (then (return (i32.const 58))))
      (if (i32.load8_u offset=8 (local.get $asked))
        (then
          (local.set $asked (i32.add (local.get $asked) (i32.const 48)))
          (local.set $count (i32.sub (local.get $count) (i32.const 1)))
          (br $next))))
    ;; The time is relative, unless the flag says that it is absolute.
    (if (i32.and (i32.load16_u offset=40 (local.get $asked)) (i32.const 1))
      (then
        (if (i64.gt_u (i64.load offset=24 (local.get $asked)) (global.get $now_ns))
          (then (global.set $now_ns (i64.load offset=24 (local.get $asked))))))
      (else (global.set $now_ns (i64.add (global.get $now_ns) (i64.load offset=24 (local.get $asked))))))
    (local.set $at (local.get $events))
    (i64.store (local.get $at) (i64.load (local.get $asked)))
    (i64.store offset=8 (local.get $at) (i64.const 0))
    (i64.store offset=16 (local.get $at) (i64.const 0))
    (i64.store offset=24 (local.get $at) (i64.const 0))
    (i32.store (local.get $out) (i32.const 1))
    (i32.const 0))

  ;; The end of a program is a fault of the engine. Its reason is the program's own, or `exited with
  ;; status 2`.
  (func (export "proc_exit") (param $status i32)
    (call $flush)
    (if (i32.eqz (global.get $has_reason))
      (then
        (global.set $stream (i32.const 3))
        (call $append_word (i64.const 0x7720646574697865))
        (call $append_word (i64.const 0x7461747320687469))
        (call $append_word (i64.const 0x207375))
        (call $append_number (local.get $status))
        (call $end_line)))
    (unreachable))
  (func (export "proc_raise") (param i32) (result i32) (unreachable)))
