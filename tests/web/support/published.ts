// Pages of `sandboard publish`, served as plain files by a web server that knows nothing else.
import { execFile } from 'node:child_process';
import { createServer, type Server as HttpServer } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../../..');
const binary = process.env.SANDBOARD_BINARY ?? join(root, 'target/debug/sandboard');
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** Runs `sandboard` with the built engines. Throws its error output if it fails. */
export async function sandboard(...args: string[]): Promise<string> {
  const engines = ['--engines-dir', join(root, 'engines-dir')];
  const { stdout } = await promisify(execFile)(binary, [...args, ...engines], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  return stdout;
}

/** A published page on a web server of its own, on a port that is free. */
export class PublishedPage {
  private constructor(
    private readonly folder: string,
    private readonly http: HttpServer,
    readonly address: string,
  ) {}

  static async of(engine: string, ...args: string[]): Promise<PublishedPage> {
    const folder = await mkdtemp(join(tmpdir(), 'sandboard-published-'));
    const page = join(folder, 'page');
    await sandboard('publish', engine, '--out', page, ...args);
    const http = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      const file = join(page, path === '/' ? 'index.html' : path);
      readFile(file).then(
        (bytes) => response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? '' }).end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return new PublishedPage(folder, http, `http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
  }

  /** Ends the web server. */
  async stop(): Promise<void> {
    this.http.closeAllConnections();
    this.http.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
