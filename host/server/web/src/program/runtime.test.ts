// What the runtime tells the program about calls of engines: results, ends, and failures of the program itself.
import { expect, test } from 'vitest';
import { Runtime } from './runtime';

// (module (import "h" "f" (func)) (func (export "g") (call 0)))
const CALLS_THE_HOST = [
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, 7, 1, 1, 0x68, 1, 0x66, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 0x67,
  0, 1, 10, 6, 1, 4, 0, 0x10, 0, 0x0b,
];

/** Calls the function of an instance that calls the host, which answers with `hostCall`. */
function callWith(hostCall: () => number): { call: () => number; error: () => string } {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const runtime = new Runtime();
  runtime.attach({ memory, sandboard_scratch: () => 1024, sandboard_host_call: hostCall });
  const { imports } = runtime;
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(CALLS_THE_HOST);
  const module = imports.compile(0, CALLS_THE_HOST.length);
  const store = imports.new_store();
  const view = new DataView(memory.buffer);
  view.setUint32(2048, imports.host_function(store, 0, 0, 0, 0, 0), true);
  expect(imports.instantiate(store, module, 2048, 1, 3000)).toBe(0);
  bytes.set(new TextEncoder().encode('g'), 4000);
  const exported = imports.export(store, view.getUint32(3000, true), 4000, 1);
  return {
    call: () => imports.call(store, exported, 0, 0, 0, 3000),
    error: () => new TextDecoder().decode(bytes.subarray(5000, 5000 + imports.take_error(5000, 100))),
  };
}

test('a function of the host returns, or ends the call', () => {
  expect(callWith(() => 0).call()).toBe(0);
  expect(callWith(() => 1).call()).toBe(1);
});

test('a failure of the program is not a failure of the engine', () => {
  for (const failure of [new RangeError('too deep'), new WebAssembly.RuntimeError('unreachable')]) {
    const lost = callWith(() => {
      throw failure;
    });
    expect(lost.call).toThrow(failure);
  }
});

test('what cannot be compiled has a reason', () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const runtime = new Runtime();
  runtime.attach({ memory, sandboard_scratch: () => 0, sandboard_host_call: () => 0 });
  expect(runtime.imports.compile(0, 8)).toBe(0);
  const length = runtime.imports.take_error(100, 200);
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, 100, length));
  expect(text).toContain('CompileError');
});
