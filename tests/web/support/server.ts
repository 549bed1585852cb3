// The real server, started for one test: an engines folder, a store and a data folder of its own, a
// free port. Knows nothing of pages.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '../../..');

/** What `cargo xtask engines` built, by the engine's name. */
export const builtEngine = (name: string): string => join(root, 'engines-dir', `${name}.wasm`);

/** The name by which a file in the folder says what it plays. */
export function fileName(engine: string): string {
  const game = ['reversi', 'xiangqi', 'bridge'].find((game) => engine.startsWith(game)) ?? 'gomoku';
  return `${engine}-0.1.0.${game}.wasm`;
}

const binary = process.env.SANDBOARD_BINARY ?? join(root, 'target/debug/sandboard');

/** What a server begins with. */
export interface Begin {
  /** The engines in its folder. */
  engines: string[];
  /** How many seconds somebody may be away before he counts as gone; absent: the server's own. */
  grace?: number | undefined;
  /** What whoever has no ticket must know; absent: nothing. */
  token?: string | undefined;
}

/** A server of one test. */
export class Server {
  private readonly arenas = new Set<ChildProcess>();
  private process: ChildProcess | undefined;
  private words = '';
  private port = '0';

  private constructor(
    private readonly folder: string,
    private readonly grace: number | undefined,
    readonly token: string | undefined,
  ) {}

  static async start({ engines, grace, token }: Begin): Promise<Server> {
    const server = new Server(await mkdtemp(join(tmpdir(), 'sandboard-browser-')), grace, token);
    await mkdir(join(server.folder, 'engines'));
    await mkdir(server.contests);
    for (const engine of engines) await server.drop(engine);
    await server.run();
    return server;
  }

  /** Copies a built engine into the folder, as a person would with a file manager. */
  async drop(engine: string): Promise<void> {
    await copyFile(builtEngine(engine), join(this.folder, 'engines', fileName(engine)));
  }

  /**
   * Plays an arena in the server's data folder, as a person would in another window. `words` are what he types
   * behind `sandboard arena`. Done when that process is, with its exit code and what it complained of.
   */
  async arena(name: string, words: string[]): Promise<{ code: number | null; complaints: string }> {
    const folder = join(this.home, 'arena');
    await mkdir(folder, { recursive: true });
    const playing = spawn(
      binary,
      ['arena', ...words, '--dir', join(folder, name), '--engines-dir', join(this.folder, 'engines')],
      { env: this.surroundings, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.arenas.add(playing);
    let complaints = '';
    playing.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()));
    const [code] = (await once(playing, 'close')) as [number | null];
    this.arenas.delete(playing);
    return { code, complaints };
  }

  /** The address that it said it listens on, without a slash at its end. */
  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What the operating system calls its process. */
  get pid(): number {
    return this.process?.pid ?? 0;
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    const running = this.process;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  }

  /** On the same port and the same store, as after a power cut. */
  async restart(): Promise<void> {
    await this.run();
  }

  /** Ends it and forgets what it kept. */
  async dispose(): Promise<void> {
    await this.kill();
    for (const playing of this.arenas) {
      const ended = once(playing, 'close');
      playing.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What `sandboard contest` prints for these words, as JSON; contests lie in the folder that the server shows. */
  async contest(words: string[]): Promise<{ token: string }> {
    await mkdir(this.contests, { recursive: true });
    const asked = spawn(binary, ['contest', ...words, '--json'], {
      cwd: this.contests,
      env: this.surroundings,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let complaints = '';
    asked.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
    asked.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()));
    const [code] = (await once(asked, 'close')) as [number | null];
    if (code !== 0) throw new Error(`sandboard contest ${words.join(' ')}: ${complaints}`);
    return JSON.parse(said) as { token: string };
  }

  /** Makes a contest of the text of its file: its organiser's token. */
  async makeContest(name: string, file: string): Promise<string> {
    await mkdir(this.contests, { recursive: true });
    await writeFile(join(this.contests, `${name}.toml`), file);
    return (await this.contest(['create', `${name}.toml`, '--dir', name])).token;
  }

  /** Runs a contest until the test is over, as its organiser would in another window. */
  runContest(name: string): void {
    const words = ['run', name, '--below-minimum', '--concurrency', '1', '--engines-dir', join(this.folder, 'engines')];
    this.arenas.add(spawn(binary, ['contest', ...words], { cwd: this.contests, env: this.surroundings, stdio: 'ignore' }));
  }

  private get contests(): string {
    return join(this.folder, 'contests');
  }

  private get home(): string {
    return join(this.folder, 'home');
  }

  private get surroundings(): NodeJS.ProcessEnv {
    return { ...process.env, SANDBOARD_HOME: this.home };
  }

  private async run(): Promise<void> {
    const running = spawn(
      binary,
      [
        'serve',
        ...['--port', this.port],
        ...['--store', join(this.folder, 'store.sqlite')],
        ...['--engines-dir', join(this.folder, 'engines')],
        ...['--contests', this.contests],
        ...(this.grace === undefined ? [] : ['--grace', String(this.grace)]),
        ...(this.token === undefined ? [] : ['--token', this.token]),
      ],
      {
        env: this.surroundings,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.process = running;
    running.stderr.on('data', (bytes: Buffer) => (this.words += bytes.toString()));
    const lines = createInterface({ input: running.stdout });
    const address = await new Promise<URL>((found, failed) => {
      lines.on('line', (line) => {
        const word = line.split(/\s+/).find((word) => word.startsWith('http://'));
        if (word) found(new URL(word));
      });
      running.on('error', (error) => failed(new Error(`cannot run ${binary}: ${error.message}`)));
      running.on('exit', (code, signal) =>
        failed(new Error(`the server ended (${code ?? signal}): ${this.words}`)),
      );
    });
    this.port = address.port;
  }
}
