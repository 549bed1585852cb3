// Runs instrumented modules under V8: reads one request in JSON from each line of the input, and writes one answer.
// `v8.rs` is the other side.
import { createInterface } from 'node:readline';

const instantiate = (bytes, imports) =>
  new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(bytes, 'base64')), imports).exports;

function run({ host, main, caller, fuel, stack, left, functions, globals, tables, hasMemory }) {
  const counters = {
    fuel: new WebAssembly.Global({ value: 'i64', mutable: true }, BigInt(fuel)),
    stack: new WebAssembly.Global({ value: 'i32', mutable: true }, stack),
  };
  const growth = {
    left: new WebAssembly.Global({ value: 'i64', mutable: true }, BigInt(left)),
    refused: new WebAssembly.Global({ value: 'i32', mutable: true }, 0),
  };
  const answer = { hostCalls: [], calls: [], state: [], stack: 0 };
  const note = () => answer.hostCalls.push(`${BigInt(fuel) - counters.fuel.value}`);
  const provided = instantiate(host, { js: { note } });
  const objects = { host: provided, 'sandboard:metering': counters, 'sandboard:growth': growth };
  const attempt = (call) => {
    let error = null;
    let results = [];
    try {
      results = call();
    } catch (thrown) {
      error = `${thrown.name}: ${thrown.message}`;
    }
    const isDeep = counters.stack.value < 0;
    answer.calls.push({ error, results, left: `${counters.fuel.value}`, isDeep });
    return error === null && counters.fuel.value >= 0n;
  };
  let exports;
  let calls;
  const bits = (count) =>
    Array.from({ length: 2 * count }, (_, at) => BigInt.asUintN(64, calls[`r${at}`].value).toString(16));
  const isInstantiated = attempt(() => {
    exports = instantiate(main, objects);
    return [];
  });
  if (exports !== undefined) {
    calls = instantiate(caller, { main: exports });
    if (isInstantiated) {
      functions.every(([name, results]) =>
        attempt(() => {
          calls[`c${name}`]();
          return bits(results);
        }),
      );
    }
    for (const at of globals) {
      calls[`g${at}`]();
      answer.state.push(bits(1));
    }
    for (const name of tables) {
      answer.state.push([`${exports[name].length}`]);
    }
    if (hasMemory) {
      answer.state.push([`${calls.bytes()}`, BigInt.asUintN(64, calls.hash()).toString(16)]);
    }
  }
  answer.stack = counters.stack.value;
  return answer;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(run(JSON.parse(line)))}\n`);
}
