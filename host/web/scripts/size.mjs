// Adds up what a visitor of every screen would load, gzipped, and fails over the limit.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT = 250_000;
const root = new URL('../dist/', import.meta.url).pathname;

function files(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

let total = 0;
for (const path of files(root).sort()) {
  const size = gzipSync(readFileSync(path), { level: 9 }).length;
  total += size;
  console.log(`${String(size).padStart(8)}  ${path.slice(root.length)}`);
}
console.log(`${String(total).padStart(8)}  bytes gzipped in all, of ${LIMIT}`);
if (total > LIMIT) {
  console.error('the client is too large');
  process.exit(1);
}
