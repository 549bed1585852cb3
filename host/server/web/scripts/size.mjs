// Adds up the gzipped size of all built files but fonts, with the tables of one language, the largest, and fails if it exceeds the
// limit: a page loads the texts of its own language only. No page loads all files; tests/web measures the first one.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT_BYTES = 300_000;
const distFolder = new URL('../dist/', import.meta.url).pathname;

function listFiles(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listFiles(path) : [path];
  });
}

/** The file of a language's texts, which is loaded alone. */
const isTable = (path) => /\/assets\/(en|zh|de)-[^/]*\.js$/.test(path);

let total = 0;
let largestTable = 0;
for (const path of listFiles(distFolder)
  .filter((path) => !path.endsWith('.woff2'))
  .sort()) {
  const size = gzipSync(readFileSync(path), { level: 9 }).length;
  if (isTable(path)) {
    largestTable = Math.max(largestTable, size);
  } else {
    total += size;
  }
  console.log(`${String(size).padStart(8)}  ${path.slice(distFolder.length)}`);
}
total += largestTable;
console.log(`${String(total).padStart(8)}  bytes gzipped with the largest language, of ${LIMIT_BYTES}`);
if (total > LIMIT_BYTES) {
  console.error('the client is too large');
  process.exit(1);
}
