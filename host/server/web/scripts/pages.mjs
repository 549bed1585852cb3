// Builds dist-verify/verify.html: one file with style, scripts and the verifier, which works from any server and from a disk.
// Also writes the verifier as a module for Node.js. Arguments: the verifier as WebAssembly, and the folder for that module.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = new URL('..', import.meta.url).pathname;
const [program, moduleFolder] = process.argv.slice(2);
if (program === undefined || moduleFolder === undefined) {
  console.error('usage: node scripts/verify-page.mjs VERIFIER.wasm FOLDER');
  process.exit(1);
}

/** A script of src/verify with everything that it imports, as one text. */
async function bundled(name, format) {
  const [{ output }] = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      target: 'es2022',
      write: false,
      lib: { entry: `${root}src/verify/${name}.ts`, formats: [format], name: 'sandboard' },
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

const wasm = gzipSync(readFileSync(program), { level: 9 }).toString('base64');
const scripts = [
  `<script type="text/plain" id="verifier-program">${wasm}</script>`,
  `<script type="text/plain" id="worker-program">${await script('worker')}</script>`,
  `<script>${await script('page')}</script>`,
];
const page = readFileSync(`${root}src/verify/page.html`, 'utf8')
  .replace('/* STYLE */', () => style())
  .replace('<!-- SCRIPT -->', () => scripts.join('\n'));
const file = `${root}dist-verify/verify.html`;
// An unchanged file keeps its time, so that the host is not built again.
if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  mkdirSync(`${root}dist-verify`, { recursive: true });
  writeFileSync(file, page);
}
console.log(`${page.length} bytes  dist-verify/verify.html`);
mkdirSync(moduleFolder, { recursive: true });
copyFileSync(program, `${moduleFolder}/verifier.wasm`);
writeFileSync(`${moduleFolder}/verifier.mjs`, await bundled('verifier', 'es'));
