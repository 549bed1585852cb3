// The real server, started for one test with its own engines folder, store, data folder and port.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '../../..');

/** The file of an engine that `cargo xtask engines` built. */
export const builtEngine = (name: string): string => join(root, 'engines-dir', `${name}.wasm`);

/** The file name of an engine in an engines folder, which says what it plays. */
export function engineFileName(engine: string): string {
  const plays: Record<string, string> = {
    'kuhn-equilibrium': 'kuhn-poker',
    'random-legal': 'hearts',
    'connect-four-mcts': 'connect-four',
  };
  const game = plays[engine] ?? ['reversi', 'xiangqi', 'bridge'].find((game) => engine.startsWith(game)) ?? 'gomoku';
  return `${engine}-0.1.0.${game}.wasm`;
}

const binary = process.env.SANDBOARD_BINARY ?? join(root, 'target/debug/sandboard');

export interface ServerOptions {
  /** The engines in its folder. */
  engines: string[];
  /** The plugged-in games in its folder; absent: none. */
  games?: string[];
  /** The seconds after which an absent player counts as gone; absent: the server's default. */
  grace?: number | undefined;
  /** The token that the server requires; 'drawn': it draws one; absent: none. */
  token?: string | undefined;
}

export class Server {
  /** Running `sandboard arena` and `sandboard contest` processes. */
  private readonly commands = new Set<ChildProcess>();
  private process: ChildProcess | undefined;
  private errorOutput = '';
  private port = '0';
  /** The link that the server has printed, with its path and fragment. */
  link = '';

  private constructor(
    private readonly folder: string,
    private readonly grace: number | undefined,
    readonly token: string | undefined,
  ) {}

  static async start({ engines, games = [], grace, token }: ServerOptions): Promise<Server> {
    const server = new Server(await mkdtemp(join(tmpdir(), 'sandboard-browser-')), grace, token);
    await mkdir(join(server.folder, 'engines'));
    await mkdir(server.contestsFolder);
    for (const engine of engines) {
      await server.addEngine(engine);
    }
    for (const game of games) {
      await cp(join(root, 'engines-dir', game), join(server.folder, 'engines', game), { recursive: true });
    }
    await server.launch();
    return server;
  }

  /** Copies a built engine into the engines folder. */
  async addEngine(engine: string): Promise<void> {
    await copyFile(builtEngine(engine), join(this.folder, 'engines', engineFileName(engine)));
  }

  /** Copies a built engine into the engines folder as a file with another name, and so with another id. */
  async addEngineAs(engine: string, file: string): Promise<void> {
    await copyFile(builtEngine(engine), join(this.folder, 'engines', file));
  }

  /** Writes a file into the engines folder. */
  async addFile(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, 'engines', name), text);
  }

  /** Adds a pack with this manifest; `modules` says which built engine each of its files is. */
  async addPack(name: string, manifest: string, modules: Record<string, string>): Promise<void> {
    // The server ignores names that begin with a dot, so it never sees a part of the pack.
    const [unfinished, folder] = [`.${name}`, name].map((name) => join(this.folder, 'engines', name));
    await mkdir(unfinished!);
    for (const [file, engine] of Object.entries(modules)) {
      await copyFile(builtEngine(engine), join(unfinished!, file));
    }
    await writeFile(join(unfinished!, 'EngineConfigs.xml'), manifest);
    await rename(unfinished!, folder!);
  }

  /** Runs `sandboard arena` in the server's data folder, and waits for its end. */
  async runArena(name: string, args: string[]): Promise<{ code: number | null; errorOutput: string }> {
    const folder = join(this.dataFolder, 'arena');
    await mkdir(folder, { recursive: true });
    const command = spawn(
      binary,
      ['arena', ...args, '--dir', join(folder, name), '--engines-dir', join(this.folder, 'engines')],
      { env: this.environment, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.commands.add(command);
    let errorOutput = '';
    command.stderr.on('data', (bytes: Buffer) => (errorOutput += bytes.toString()));
    const [code] = (await once(command, 'close')) as [number | null];
    this.commands.delete(command);
    return { code, errorOutput };
  }

  /** The server's address, without a slash at the end. */
  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The process id of the server. */
  get pid(): number {
    return this.process?.pid ?? 0;
  }

  /** Kills the server without a shutdown. */
  async kill(): Promise<void> {
    const running = this.process;
    if (!running || running.exitCode !== null || running.signalCode !== null) {
      return;
    }
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  }

  /** Starts the server again on the same port and store. */
  async restart(): Promise<void> {
    await this.launch();
  }

  /** Kills the server and its commands, and deletes its files. */
  async dispose(): Promise<void> {
    await this.kill();
    for (const command of this.commands) {
      const ended = once(command, 'close');
      command.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Runs `sandboard contest --json` in the server's contests folder, and returns its output. */
  async contest(args: string[]): Promise<{ token: string }> {
    await mkdir(this.contestsFolder, { recursive: true });
    const command = spawn(binary, ['contest', ...args, '--json'], {
      cwd: this.contestsFolder,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errorOutput = '';
    command.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    command.stderr.on('data', (bytes: Buffer) => (errorOutput += bytes.toString()));
    const [code] = (await once(command, 'close')) as [number | null];
    if (code !== 0) {
      throw new Error(`sandboard contest ${args.join(' ')}: ${errorOutput}`);
    }
    return JSON.parse(output) as { token: string };
  }

  /** Creates a contest from the text of its file, and returns the organiser's token. */
  async createContest(name: string, file: string): Promise<string> {
    await mkdir(this.contestsFolder, { recursive: true });
    await writeFile(join(this.contestsFolder, `${name}.toml`), file);
    const args = ['create', `${name}.toml`, '--dir', name, '--engines-dir', join(this.folder, 'engines')];
    return (await this.contest(args)).token;
  }

  /** Runs a contest until the end of the test. */
  runContest(name: string): void {
    const args = ['run', name, '--below-minimum', '--concurrency', '1', '--engines-dir', join(this.folder, 'engines')];
    this.commands.add(
      spawn(binary, ['contest', ...args], { cwd: this.contestsFolder, env: this.environment, stdio: 'ignore' }),
    );
  }

  private get contestsFolder(): string {
    return join(this.folder, 'contests');
  }

  private get dataFolder(): string {
    return join(this.folder, 'home');
  }

  private get environment(): NodeJS.ProcessEnv {
    return { ...process.env, SANDBOARD_HOME: this.dataFolder };
  }

  private get tokenArguments(): string[] {
    if (this.token === 'drawn') {
      return [];
    }
    return this.token === undefined ? ['--no-token'] : ['--token', this.token];
  }

  private async launch(): Promise<void> {
    const running = spawn(
      binary,
      [
        'serve',
        ...['--port', this.port],
        ...['--store', join(this.folder, 'store.sqlite')],
        ...['--engines-dir', join(this.folder, 'engines')],
        ...['--contests', this.contestsFolder],
        ...(this.grace === undefined ? [] : ['--grace', String(this.grace)]),
        ...this.tokenArguments,
      ],
      {
        env: this.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.process = running;
    running.stderr.on('data', (bytes: Buffer) => (this.errorOutput += bytes.toString()));
    const lines = createInterface({ input: running.stdout });
    const address = await new Promise<URL>((resolve, reject) => {
      lines.on('line', (line) => {
        const word = line.split(/\s+/).find((word) => word.startsWith('http://'));
        if (word) {
          resolve(new URL(word));
        }
      });
      running.on('error', (error) => reject(new Error(`cannot run ${binary}: ${error.message}`)));
      running.on('exit', (code, signal) =>
        reject(new Error(`the server ended (${code ?? signal}): ${this.errorOutput}`)),
      );
    });
    this.port = address.port;
    this.link = address.href;
  }
}
