// Builds the pages that work without a server: dist-verify/verify.html, one file that verifies bundles, and
// dist-published/published/, the files that `sandboard publish` puts beside an engine. Also writes the program as a module for
// Node.js. Arguments: the program as WebAssembly, and the folder for that module.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build } from 'vite';

const root = new URL('..', import.meta.url).pathname;
const [program, moduleFolder] = process.argv.slice(2);
if (program === undefined || moduleFolder === undefined) {
  console.error('usage: node scripts/pages.mjs PROGRAM.wasm FOLDER');
  process.exit(1);
}

/** A script of src with everything that it imports, as one text. */
async function bundled(name, format) {
  const [{ output }] = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      target: 'es2022',
      write: false,
      lib: { entry: `${root}src/${name}.ts`, formats: [format], name: 'sandboard' },
    },
  }).then((built) => (Array.isArray(built) ? built : [built]));
  return output[0].code;
}

/** The same as the text of a script element. There two texts would begin its end or a comment. */
async function script(name) {
  const code = await bundled(name, 'iife');
  return code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

/** The colours are those of the client; its other rules are not needed. */
function style() {
  const app = readFileSync(`${root}src/app.css`, 'utf8');
  const own = readFileSync(`${root}src/verify/page.css`, 'utf8');
  return app + own;
}

/** Writes a file. An unchanged one keeps its time, so that the host is not built again. */
function write(file, content) {
  const bytes = Buffer.from(content);
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) {
    mkdirSync(new URL('.', `file://${file}`).pathname, { recursive: true });
    writeFileSync(file, bytes);
  }
}

const compressed = gzipSync(readFileSync(program), { level: 9 });

const scripts = [
  `<script type="text/plain" id="verifier-program">${compressed.toString('base64')}</script>`,
  `<script type="text/plain" id="worker-program">${await script('verify/worker')}</script>`,
  `<script>${await script('verify/page')}</script>`,
];
const page = readFileSync(`${root}src/verify/page.html`, 'utf8')
  .replace('/* STYLE */', () => style())
  .replace('<!-- SCRIPT -->', () => scripts.join('\n'));
write(`${root}dist-verify/verify.html`, page);
console.log(`${page.length} bytes  dist-verify/verify.html`);

const published = `${root}dist-published/published/`;
const [{ output }] = await build({
  root,
  configFile: false,
  logLevel: 'warn',
  base: './',
  plugins: [svelte({ compilerOptions: { css: 'external' } })],
  build: {
    target: 'es2022',
    cssTarget: 'chrome123',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    write: false,
    rollupOptions: { input: `${root}published.html` },
  },
}).then((built) => (Array.isArray(built) ? built : [built]));
// Names contain hashes of contents, so files of former builds would stay.
rmSync(`${published}assets`, { recursive: true, force: true });
let bytes = 0;
for (const file of output) {
  const content = file.type === 'chunk' ? file.code : file.source;
  bytes += content.length;
  write(`${published}${file.fileName === 'published.html' ? 'index.html' : file.fileName}`, content);
}
write(`${published}worker.js`, await bundled('program/worker', 'iife'));
write(`${published}service-worker.js`, readFileSync(`${root}src/published/service-worker.js`));
write(`${published}program.wasm.gz`, compressed);
console.log(`${bytes + compressed.length} bytes  dist-published/published/`);

mkdirSync(moduleFolder, { recursive: true });
copyFileSync(program, `${moduleFolder}/verifier.wasm`);
writeFileSync(`${moduleFolder}/verifier.mjs`, await bundled('verify/verifier', 'es'));
