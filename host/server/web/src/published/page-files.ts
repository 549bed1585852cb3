// The files of a published page: `page.json` describes the others. `sandboard publish` writes them.
import type { Engine, Game } from '../api/types';
import type { EngineFiles } from '../program/player';

/** What a published page plays. */
export interface PageDescription {
  title: string;
  game: Game;
  engine: Engine;
  /** The file of the engine's module. */
  module: string;
  /** The files that the engine may read, by name. */
  assets: Record<string, string>;
  /** The rules of a plugged-in game; null: the game is built in. */
  rules: { description: unknown; file: string } | null;
  /** The options that are set in every game. */
  options: Record<string, string>;
  /** What a move at full strength may use, in units of fuel. */
  fuel: number;
}

/** Everything that the page needs, loaded. */
export interface PageFiles {
  description: PageDescription;
  program: WebAssembly.Module;
  engine: EngineFiles;
  /** Makes a worker that plays. */
  newWorker: () => Worker;
}

async function fetchFile(name: string): Promise<Response> {
  const response = await fetch(name);
  if (!response.ok) {
    throw new Error(`${name}: ${response.status} ${response.statusText}`);
  }
  return response;
}

const fetchBytes = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetchFile(name)).arrayBuffer());

async function fetchProgram(): Promise<WebAssembly.Module> {
  const { body } = await fetchFile('program.wasm.gz');
  if (body === null) {
    throw new Error('program.wasm.gz is empty');
  }
  return WebAssembly.compile(await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

/** Loads all files. Throws the name of a missing one. */
export async function loadPage(): Promise<PageFiles> {
  const description = (await (await fetchFile('page.json')).json()) as PageDescription;
  const { module, assets, rules, engine } = description;
  const [program, worker, moduleBytes, rulesBytes, ...assetBytes] = await Promise.all([
    fetchProgram(),
    // A worker from a text inherits the page's policy; one from a file of a plain server would have none.
    fetchFile('worker.js').then((response) => response.text()),
    fetchBytes(module),
    rules === null ? null : fetchBytes(rules.file),
    ...Object.values(assets).map(fetchBytes),
  ]);
  const names = Object.keys(assets);
  const workerAddress = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
  return {
    description,
    program,
    engine: {
      module: moduleBytes,
      memoryBytes: engine.memory_bytes,
      assets: Object.fromEntries(assetBytes.map((bytes, at) => [names[at] ?? '', bytes])),
      rules: rules === null || rulesBytes === null ? null : { description: rules.description, module: rulesBytes },
    },
    newWorker: () => new Worker(workerAddress),
  };
}
