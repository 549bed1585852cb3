// Runs the modules of engines for the program, which is WebAssembly itself: its imports from
// `sandboard:runtime`. The file `backend/javascript/imports.rs` of the crate `engine-wasm` is the
// other side. Nothing is decided here.

/** What the runtime needs of the program's exports. */
export interface RuntimeHost {
  memory: WebAssembly.Memory;
  sandboard_scratch(): number;
  sandboard_host_call(thunk: number, data: number, callee: number, encoding: number, count: number): number;
}

/** Instances and what they export and import. Objects are numbered from 1. */
interface Store {
  objects: unknown[];
}

/** Thrown through the code of an engine when a function of the host ends the call. */
class CallEnded extends Error {}

/** The outcomes of a call, as numbers that the program knows. */
const RETURNED = 0;
const ENDED = 1;
const FAILED = 2;

/** The result of a function of the host is an `i64`. */
const RESULT_I64 = 1;

/** The imports of the program, and where its exports are put after its instantiation. */
export class Runtime {
  private host: RuntimeHost | undefined;
  private readonly modules = new Map<number, WebAssembly.Module>();
  private readonly stores = new Map<number, Store>();
  private lastNumber = 0;
  private error = '';
  /** Why the program was lost: it panicked, or the stack ended while it served an engine. */
  private lost: Error | undefined;

  /** Call it with the exports of the program, before the first of them is called. */
  attach(host: RuntimeHost): void {
    this.host = host;
  }

  /** The functions that the program imports. */
  readonly imports = {
    compile: (bytes: number, length: number): number => {
      try {
        // A copy, because the constructor refuses memory that can grow.
        const module = new WebAssembly.Module(this.bytes(bytes, length).slice());
        this.lastNumber += 1;
        this.modules.set(this.lastNumber, module);
        return this.lastNumber;
      } catch (error) {
        this.keepError(error);
        return 0;
      }
    },
    release_module: (module: number): void => {
      this.modules.delete(module);
    },
    new_store: (): number => {
      this.lastNumber += 1;
      this.stores.set(this.lastNumber, { objects: [] });
      return this.lastNumber;
    },
    release_store: (store: number): void => {
      this.stores.delete(store);
    },
    new_global: (store: number, isI64: number, value: bigint): number => {
      const global =
        isI64 === 0
          ? new WebAssembly.Global({ value: 'i32', mutable: true }, Number(value))
          : new WebAssembly.Global({ value: 'i64', mutable: true }, value);
      return this.add(store, global);
    },
    global: (store: number, object: number): bigint =>
      BigInt((this.object(store, object) as WebAssembly.Global).value as number | bigint),
    set_global: (store: number, object: number, value: bigint): void => {
      const global = this.object(store, object) as WebAssembly.Global;
      global.value = typeof global.value === 'bigint' ? value : Number(value);
    },
    host_function: (
      store: number,
      thunk: number,
      data: number,
      callee: number,
      encoding: number,
      result: number,
    ): number => {
      const call = (...params: (number | bigint)[]): bigint | undefined => {
        const host = this.attached();
        const scratch = host.sandboard_scratch() >>> 0;
        const values = new BigUint64Array(host.memory.buffer, scratch, params.length);
        for (const [at, param] of params.entries()) {
          values[at] = typeof param === 'bigint' ? param : BigInt(param >>> 0);
        }
        let code: number;
        try {
          code = host.sandboard_host_call(thunk, data, callee, encoding, params.length);
        } catch (error) {
          // The program itself failed, in the middle of its work: no error of the engine.
          this.lost = error instanceof Error ? error : new Error(String(error));
          throw error;
        }
        if (code !== 0) {
          throw new CallEnded();
        }
        // The memory may have grown.
        return result === RESULT_I64 ? new DataView(host.memory.buffer).getBigInt64(scratch, true) : undefined;
      };
      return this.add(store, call);
    },
    instantiate: (store: number, module: number, imports: number, count: number, instance: number): number => {
      const compiled = this.modules.get(module);
      if (compiled === undefined) {
        throw new Error(`there is no module ${module}`);
      }
      const objects = new Uint32Array(this.attached().memory.buffer, imports >>> 0, count);
      const byModule: Record<string, Record<string, WebAssembly.ImportValue>> = {};
      for (const [at, { module: from, name }] of WebAssembly.Module.imports(compiled).entries()) {
        const names = (byModule[from] ??= {});
        names[name] = this.object(store, objects[at] ?? 0) as WebAssembly.ImportValue;
      }
      return this.attempt(() => {
        const created = new WebAssembly.Instance(compiled, byModule);
        this.view().setUint32(instance >>> 0, this.add(store, created), true);
      });
    },
    export: (store: number, instance: number, name: number, length: number): number => {
      const { exports } = this.object(store, instance) as WebAssembly.Instance;
      const exported = exports[this.text(name, length)];
      return exported === undefined ? 0 : this.add(store, exported);
    },
    call: (store: number, callee: number, params: number, count: number, wide: number, result: number): number => {
      const values = new BigUint64Array(this.attached().memory.buffer, params >>> 0, count);
      const passed = Array.from(values, (value, at) =>
        (wide & (1 << at)) === 0 ? Number(BigInt.asIntN(32, value)) : BigInt.asIntN(64, value),
      );
      const target = this.object(store, callee) as (...params: (number | bigint)[]) => unknown;
      return this.attempt(() => {
        const returned = target(...passed);
        if (typeof returned === 'number') {
          this.view().setBigUint64(result >>> 0, BigInt(returned >>> 0), true);
        }
      });
    },
    memory_bytes: (store: number, memory: number): number => this.memoryOf(store, memory).byteLength,
    copy_to: (store: number, memory: number, address: number, bytes: number, length: number): number => {
      const part = this.part(store, memory, address, length);
      if (part !== undefined) {
        this.bytes(bytes, length).set(part);
      }
      return part === undefined ? 0 : 1;
    },
    copy_from: (store: number, memory: number, address: number, bytes: number, length: number): number => {
      const part = this.part(store, memory, address, length);
      part?.set(this.bytes(bytes, length));
      return part === undefined ? 0 : 1;
    },
    take_error: (text: number, capacity: number): number => {
      const { written } = new TextEncoder().encodeInto(this.error, this.bytes(text, capacity));
      return written;
    },
  };

  private attached(): RuntimeHost {
    if (this.host === undefined) {
      throw new Error('the program is not instantiated yet');
    }
    return this.host;
  }

  /** Calls into an engine. */
  private attempt(call: () => void): number {
    try {
      call();
      return RETURNED;
    } catch (error) {
      if (this.lost !== undefined) {
        throw this.lost;
      }
      if (error instanceof CallEnded) {
        return ENDED;
      }
      this.keepError(error);
      return FAILED;
    }
  }

  private keepError(error: unknown): void {
    this.error = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }

  private store(store: number): Store {
    const found = this.stores.get(store);
    if (found === undefined) {
      throw new Error(`there is no store ${store}`);
    }
    return found;
  }

  private add(store: number, object: unknown): number {
    return this.store(store).objects.push(object);
  }

  private object(store: number, object: number): unknown {
    return this.store(store).objects[object - 1];
  }

  private memoryOf(store: number, memory: number): ArrayBuffer {
    return (this.object(store, memory) as WebAssembly.Memory).buffer;
  }

  /** A part of the memory of an engine; undefined: it does not lie in the memory. */
  private part(store: number, memory: number, address: number, length: number): Uint8Array | undefined {
    const buffer = this.memoryOf(store, memory);
    const start = address >>> 0;
    return start + length <= buffer.byteLength ? new Uint8Array(buffer, start, length) : undefined;
  }

  private bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.attached().memory.buffer, address >>> 0, length >>> 0);
  }

  private view(): DataView {
    return new DataView(this.attached().memory.buffer);
  }

  private text(address: number, length: number): string {
    return new TextDecoder().decode(this.bytes(address, length));
  }
}
