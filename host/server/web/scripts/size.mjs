// Adds up the gzipped size of all built files and fails if it exceeds the limit.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT_BYTES = 250_000;
const distFolder = new URL('../dist/', import.meta.url).pathname;

function listFiles(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listFiles(path) : [path];
  });
}

let total = 0;
for (const path of listFiles(distFolder).sort()) {
  const size = gzipSync(readFileSync(path), { level: 9 }).length;
  total += size;
  console.log(`${String(size).padStart(8)}  ${path.slice(distFolder.length)}`);
}
console.log(`${String(total).padStart(8)}  bytes gzipped in total, of ${LIMIT_BYTES}`);
if (total > LIMIT_BYTES) {
  console.error('the client is too large');
  process.exit(1);
}
