;; WASI preview 1 for a sandbox: no files, no arguments, no environment variables. It replaces WASI
;; for modules of languages that need it, and imports only the memory of the module.
;;
;; Results depend only on the calls before. The clock begins at 0; each reading adds 1 µs, and each
;; sleep adds its duration. Random numbers are a fixed sequence. Output is discarded. Error numbers
;; are those of the standard's `errno`.
(module
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

  ;; Reports that everything was written, and discards it.
  (func (export "fd_write") (param $fd i32) (param $pieces i32) (param $count i32) (param $out i32) (result i32)
    (local $sum i32)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (i32.add (local.get $sum) (i32.load offset=4 (local.get $pieces))))
        (local.set $pieces (i32.add (local.get $pieces) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.store (local.get $out) (local.get $sum))
    (i32.const 0))

  ;; No file is open: EBADF.
  (func (export "fd_close") (param i32) (result i32) (i32.const 8))
  (func (export "fd_read") (param i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_seek") (param i32 i64 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_set_flags") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_filestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_dir_name") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_readdir") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "path_filestat_get") (param i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_open") (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_advise") (param i32 i64 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_allocate") (param i32 i64 i64) (result i32) (i32.const 8))
  (func (export "fd_datasync") (param i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_set_rights") (param i32 i64 i64) (result i32) (i32.const 8))
  (func (export "fd_filestat_set_size") (param i32 i64) (result i32) (i32.const 8))
  (func (export "fd_filestat_set_times") (param i32 i64 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_pread") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_pwrite") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_renumber") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_sync") (param i32) (result i32) (i32.const 8))
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

  (func (export "proc_exit") (param i32) (unreachable))
  (func (export "proc_raise") (param i32) (result i32) (unreachable)))
