// The page that verifies bundles: files, progress and the verdict. It decides nothing itself.
import { Verification, type WorkerLike } from './verification';
import type { BundleSummary, Finding, GameResult, Verdict } from './verifier';

/** How many problems are listed. */
const LISTED_MAX = 500;
/** The most games at once. */
const WORKERS_MAX = 64;

/** What the verdicts mean. */
const MEANINGS: Record<Verdict['verdict'], string> = {
  verified: 'Every game was repeated with the same moves, fuel and results, and the tables follow from them.',
  partly: 'What played on fuel was repeated with the same results. Other players cannot be verified.',
  incomplete: 'Nothing differs, but the bundle cannot show everything; see below.',
  unverifiable: 'Nothing was found that differs, but this browser could not verify everything; see below.',
  differs: 'The bundle is not what really happened; see below.',
};

function element<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}

const form = element('form', HTMLFormElement);
const drop = element('drop', HTMLDivElement);
const files = element('files', HTMLInputElement);
const chosen = element('chosen', HTMLParagraphElement);
const commitment = element('commitment', HTMLInputElement);
const workers = element('workers', HTMLInputElement);
const start = element('start', HTMLButtonElement);
const stop = element('stop', HTMLButtonElement);
const status = element('status', HTMLParagraphElement);
const progress = element('progress', HTMLProgressElement);
const result = element('result', HTMLElement);
const verdictHeading = element('verdict', HTMLHeadingElement);
const meaning = element('meaning', HTMLParagraphElement);
const problems = element('problems', HTMLDivElement);
const findingList = element('findings', HTMLUListElement);
const save = element('save', HTMLButtonElement);
const about = element('about', HTMLElement);
const facts = element('facts', HTMLElement);
const tables = element('tables', HTMLDivElement);

/** The files that were chosen, by name; the last one with a name counts. */
const selected = new Map<string, File>();
let running: Verification | undefined;
let report: { verdict: Verdict; games: GameResult[]; seconds: number } | undefined;

/** The program and the script of the workers, which the build puts into the page. */
function embedded(id: string): string {
  return element(id, HTMLScriptElement).textContent;
}

async function compileProgram(): Promise<WebAssembly.Module> {
  const text = atob(embedded('verifier-program').trim());
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

let compiled: Promise<WebAssembly.Module> | undefined;

/** The program, compiled once. */
function program(): Promise<WebAssembly.Module> {
  compiled ??= compileProgram();
  return compiled;
}

const workerAddress = URL.createObjectURL(new Blob([embedded('worker-program')], { type: 'text/javascript' }));

function newWorker(): WorkerLike {
  return new Worker(workerAddress);
}

function choose(more: Iterable<File>): void {
  for (const file of more) {
    selected.set(file.name, file);
  }
  const names = [...selected.keys()];
  const bundles = names.filter((name) => !name.endsWith('.wasm'));
  chosen.textContent = names.length === 0 ? 'Or drop the files here.' : `Chosen: ${names.join(', ')}`;
  start.disabled = bundles.length !== 1;
  if (bundles.length > 1) {
    // The file that was chosen last replaces the bundle before.
    const last = bundles.at(-1);
    for (const name of bundles) {
      if (name !== last) {
        selected.delete(name);
      }
    }
    choose([]);
  }
}

function listItem(text: string, kind: string): HTMLLIElement {
  const item = document.createElement('li');
  item.className = kind;
  item.textContent = text;
  return item;
}

let listed = 0;

function list(text: string, kind: string): void {
  listed += 1;
  problems.hidden = false;
  if (listed <= LISTED_MAX) {
    findingList.append(listItem(text, kind));
  } else if (listed === LISTED_MAX + 1) {
    findingList.append(listItem('There are more; the report has all of them.', ''));
  }
}

function showFact(name: string, text: string): void {
  const term = document.createElement('dt');
  term.textContent = name;
  const description = document.createElement('dd');
  description.textContent = text;
  facts.append(term, description);
}

function cell(text: string, isNumber: boolean): HTMLTableCellElement {
  const made = document.createElement('td');
  made.textContent = text;
  made.className = isNumber ? 'number' : '';
  return made;
}

function showTable(arena: BundleSummary['arenas'][number]): void {
  const heading = document.createElement('h3');
  heading.textContent = `${arena.name}: ${arena.game} ${arena.variant}, ${arena.games} games`;
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  for (const name of ['Place', 'Player', 'Points', 'Games']) {
    const title = document.createElement('th');
    title.scope = 'col';
    title.textContent = name;
    head.append(title);
  }
  const body = table.createTBody();
  for (const row of arena.table) {
    const points = (row.half_points / 2).toString();
    body
      .insertRow()
      .append(
        cell(row.place.toString(), true),
        cell(row.player, false),
        cell(points, true),
        cell(row.games.toString(), true),
      );
  }
  const scroll = document.createElement('div');
  scroll.className = 'scroll';
  scroll.append(table);
  tables.append(heading, scroll);
}

function showSummary(summary: BundleSummary): void {
  facts.replaceChildren();
  tables.replaceChildren();
  showFact('Title', summary.title);
  showFact('Written by', `sandboard ${summary.host}`);
  showFact('Fuel', summary.fuel_meter);
  showFact('Games', summary.games.toString());
  if (summary.commitment !== null) {
    showFact('Commitment', summary.commitment);
  }
  if (summary.missing_modules.length > 0) {
    showFact('Modules that are missing', summary.missing_modules.join(', '));
  }
  summary.arenas.forEach(showTable);
  about.hidden = false;
}

/** What is known of a game that is not verified. */
function showGame(game: GameResult): void {
  if (game.verdict === 'unverifiable' || game.verdict === 'differs') {
    for (const text of game.messages) {
      list(text, game.verdict);
    }
  }
}

function showFinding(finding: Finding): void {
  list(`${finding.location}: ${finding.reason}`, finding.kind);
}

async function verify(): Promise<void> {
  const all = [...selected.values()];
  const bundle = all.find((file) => !file.name.endsWith('.wasm'));
  if (bundle === undefined) {
    return;
  }
  listed = 0;
  report = undefined;
  findingList.replaceChildren();
  problems.hidden = true;
  result.hidden = true;
  about.hidden = true;
  start.disabled = true;
  stop.hidden = false;
  progress.hidden = false;
  progress.removeAttribute('value');
  status.textContent = `Reading ${bundle.name}…`;
  const began = performance.now();
  const games: GameResult[] = [];
  try {
    const modules = all.filter((file) => file !== bundle);
    const text = commitment.value.trim();
    const verification = new Verification(
      {
        program: await program(),
        bundle: await bundle.arrayBuffer(),
        modules: await Promise.all(modules.map((file) => file.arrayBuffer())),
        commitment: text === '' ? null : text,
      },
      newWorker,
      {
        opened: (summary) => {
          showSummary(summary);
          status.textContent = `Checking ${summary.games} games…`;
        },
        progress: (replayed, of) => {
          progress.max = Math.max(of, 1);
          progress.value = replayed;
          status.textContent = `${replayed} of ${of} games replayed`;
        },
        finding: showFinding,
        replayed: (game) => {
          games.push(game);
          showGame(game);
        },
      },
    );
    running = verification;
    const count = Math.min(Math.max(1, Math.trunc(workers.valueAsNumber) || 1), WORKERS_MAX);
    const verdict = await verification.run(count);
    const seconds = (performance.now() - began) / 1000;
    report = { verdict, games, seconds };
    for (const finding of verdict.findings) {
      // The comparison with the published commitment is made last.
      if (finding.location === "the contest's commitment") {
        showFinding(finding);
      }
    }
    verdictHeading.textContent = verdict.sentence;
    verdictHeading.dataset.verdict = verdict.verdict;
    meaning.textContent = MEANINGS[verdict.verdict];
    save.hidden = false;
    status.textContent = `Finished after ${seconds.toFixed(1)} s.`;
    result.hidden = false;
    verdictHeading.focus();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === 'stopped') {
      status.textContent = 'Stopped.';
    } else {
      status.textContent = '';
      verdictHeading.textContent = `${bundle.name}: ${reason}`;
      verdictHeading.dataset.verdict = 'unverifiable';
      meaning.textContent = 'The file could not be verified.';
      save.hidden = true;
      result.hidden = false;
      verdictHeading.focus();
    }
  } finally {
    running = undefined;
    start.disabled = false;
    stop.hidden = true;
    progress.hidden = true;
  }
}

workers.valueAsNumber = Math.max(1, navigator.hardwareConcurrency || 1);
files.addEventListener('change', () => {
  choose(files.files ?? []);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void verify();
});
stop.addEventListener('click', () => {
  running?.stop();
});
save.addEventListener('click', () => {
  const text = JSON.stringify(report, null, 2);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = 'verification.json';
  link.click();
  URL.revokeObjectURL(link.href);
});
for (const kind of ['dragenter', 'dragover'] as const) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add('over');
  });
}
document.addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) {
    drop.classList.remove('over');
  }
});
document.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  choose(event.dataTransfer?.files ?? []);
});
