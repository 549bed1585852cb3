// Engines in this browser: loads the files of a sandboxed engine from the server, and runs it in workers whose policy lets them
// load nothing. Knows no room and no board.
import { api } from '../api/client';
import type { AnalysedPosition } from '../api/types';
import type { EngineFiles, Report, Strength } from './player';
import { PlayerWorker, type WorkerLike } from './player-worker';

/** A module that calls no other: it can run in a browser. */
export const runsOnDevice = ({ kind }: { kind: string }): boolean => kind === 'wasm';

/** How long an engine may take for a move or an analysis before it is ended. */
const LIMIT_MS = 120_000;

async function fetchBytes(address: string): Promise<Response> {
  const response = await fetch(address, { credentials: 'same-origin' });
  if (!response.ok) {
    throw new Error(`${address}: ${response.status} ${response.statusText}`);
  }
  return response;
}

const bytesOf = async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer());

async function unpacked(response: Response): Promise<Uint8Array> {
  const stream = response.body?.pipeThrough(new DecompressionStream('gzip'));
  return bytesOf(new Response(stream));
}

/** An engine with all files that it needs, for one game. */
export class DeviceEngine {
  private constructor(
    private readonly workerAddress: string,
    private readonly program: Uint8Array,
    private readonly files: EngineFiles,
    /** The options that are set in every game. */
    private readonly presets: Record<string, string>,
  ) {}

  /** Loads the files. Throws why the engine cannot run here. */
  static async load(engine: string, game: string): Promise<DeviceEngine> {
    const list = await api.engineFiles(engine, game);
    const names = Object.keys(list.assets);
    const [program, module, rules, ...assets] = await Promise.all([
      fetchBytes(list.program).then(unpacked),
      fetchBytes(list.module).then(bytesOf),
      list.rules === null ? null : fetchBytes(list.rules.module).then(bytesOf),
      ...Object.values(list.assets).map((address) => fetchBytes(address).then(bytesOf)),
    ]);
    const files: EngineFiles = {
      module,
      memoryBytes: list.memory_bytes,
      assets: Object.fromEntries(assets.map((bytes, at) => [names[at] ?? '', bytes])),
      rules: list.rules === null || rules === null ? null : { description: list.rules.description, module: rules },
    };
    return new DeviceEngine(list.worker, program, files, list.options);
  }

  /** A strength with the options that are always set. */
  strength({ fuel, options }: Strength): Strength {
    return { fuel, options: { ...this.presets, ...options } };
  }

  /** Starts a worker and loads the engine in it. */
  async start(onReport: (report: Report) => void): Promise<PlayerWorker> {
    const worker: WorkerLike = new Worker(this.workerAddress);
    const player = new PlayerWorker(worker, LIMIT_MS, onReport);
    await player.load(this.program, this.files);
    return player;
  }
}

const loaded = new Map<string, Promise<DeviceEngine>>();

/** An engine for a game, loaded once for each page load. */
export function deviceEngine(engine: string, game: string): Promise<DeviceEngine> {
  const key = JSON.stringify([engine, game]);
  let found = loaded.get(key);
  if (found === undefined) {
    found = DeviceEngine.load(engine, game);
    loaded.set(key, found);
    // After an error, the next call tries again.
    found.catch(() => loaded.delete(key));
  }
  return found;
}

/** What an analysis needs, as `POST /analyse` reads it. */
type AnalysisRequest = Parameters<typeof api.analyse>[0];

/** A second on the server is about as much work. */
const FUEL_PER_SECOND = 1e9;

/** The work that stands for a budget in seconds a move. */
export function fuelOfBudget(budget: string): number {
  const seconds = /^(\d+(?:\.\d+)?)s\/move$/.exec(budget)?.[1];
  return Math.round((seconds === undefined ? 1 : Number(seconds)) * FUEL_PER_SECOND);
}

/** Analyses positions in this browser, with the reports of `POST /analyse`. */
export async function analyseOnDevice(
  request: AnalysisRequest,
  onPosition: (position: AnalysedPosition) => void,
  signal: AbortSignal,
): Promise<void> {
  const { game, variant, start, moves, first, engine, budget, lines = 1 } = request;
  const files = await deviceEngine(engine.id, game);
  let ply = first;
  let hasLine = false;
  const worker = await files.start((report) => {
    if (report.type === 'analysis' && !signal.aborted) {
      hasLine = true;
      onPosition({ ...report.line, ply, thinking: true });
    }
  });
  const stop = () => worker.stop();
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    const strength = files.strength({ fuel: fuelOfBudget(budget), options: engine.options });
    for (; ply <= moves.length; ply++) {
      const query = { game, variant, start: start ?? null, moves: moves.slice(0, ply), strength, lines };
      const move = await worker.analyse(query);
      // An engine that reports nothing has at least a move.
      if (!hasLine) {
        onPosition({ ply, move });
      }
      hasLine = false;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    worker.stop();
  }
}
