// An instance of the program in WebAssembly that verifies and plays without a server. The crate `browser` is the other
// side: each of its functions gets bytes or a text, and leaves a result in JSON.
import { Runtime, type RuntimeHost } from './runtime';

interface ProgramExports extends RuntimeHost {
  sandboard_initialize(): void;
  sandboard_allocate(length: number): number;
  sandboard_result(): number;
  sandboard_result_length(): number;
}

/** What the program calls while one of its functions runs. */
export interface ProgramListener {
  /** Gets the name of a game that is to be replayed. */
  onGame?: (name: string) => void;
  /** Gets what an engine reports, as JSON. */
  onReport?: (report: string) => void;
}

/** One instance of the program. After an error that is not a refusal, it is not used again. */
export class Program {
  private readonly exports: ProgramExports;
  private panic = '';

  /** Instantiates the program, synchronously. */
  constructor(module: WebAssembly.Module, listener: ProgramListener = {}) {
    const runtime = new Runtime();
    const instance = new WebAssembly.Instance(module, {
      'sandboard:runtime': runtime.imports,
      'sandboard:browser': {
        on_game: (name: number, length: number) => listener.onGame?.(this.text(name, length)),
        on_report: (report: number, length: number) => listener.onReport?.(this.text(report, length)),
        on_panic: (message: number, length: number) => {
          this.panic = this.text(message, length);
        },
      },
    });
    this.exports = instance.exports as unknown as ProgramExports;
    runtime.attach(this.exports);
    this.exports.sandboard_initialize();
  }

  /** Calls a function with these bytes and texts. Returns what it leaves; throws the reason of a refusal. */
  call<T>(callee: string, ...inputs: (Uint8Array | string)[]): T {
    const params = inputs.flatMap((input) => {
      const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
      const address = this.exports.sandboard_allocate(bytes.length) >>> 0;
      new Uint8Array(this.exports.memory.buffer, address, bytes.length).set(bytes);
      return [address, bytes.length];
    });
    const functions = this.exports as unknown as Record<string, (...params: number[]) => void>;
    try {
      functions[callee]?.(...params);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`the program failed: ${this.panic === '' ? reason : this.panic}`, { cause: error });
    }
    const text = this.text(this.exports.sandboard_result(), this.exports.sandboard_result_length());
    const result = JSON.parse(text) as (T & { error?: string }) | null;
    if (typeof result?.error === 'string') {
      throw new Error(result.error);
    }
    return result as T;
  }

  private text(address: number, length: number): string {
    const bytes = new Uint8Array(this.exports.memory.buffer, address >>> 0, length >>> 0);
    return new TextDecoder().decode(bytes);
  }
}
