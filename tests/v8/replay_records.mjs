// Replays records under V8 with the verifier of the page. Arguments: the folder of the verifier, the folder of the
// modules, and the records. Writes the result of each record as a line of JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [verifierFolder, moduleFolder, ...records] = process.argv.slice(2);
const { Verifier } = await import(pathToFileURL(join(verifierFolder, 'verifier.mjs')));
const program = new WebAssembly.Module(readFileSync(join(verifierFolder, 'verifier.wasm')));
const verifier = new Verifier(program);
for (const name of readdirSync(moduleFolder)) {
  if (name.endsWith('.wasm')) {
    verifier.addModule(readFileSync(join(moduleFolder, name)));
  }
}
for (const record of records) {
  console.log(JSON.stringify({ ...verifier.replayRecord(readFileSync(record)), record }));
}
