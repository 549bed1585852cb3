// Exports a game as a self-contained HTML page: the board drawn for every move by its component, the styles, the move
// list, and a script to go through the moves. The DOM escapes every text.
import { flushSync, mount, unmount, type Component } from 'svelte';
import type { Position } from '../api/types';
import { games, loadGenericBoard } from '../boards';
import type { Appearance, BoardProps } from '../boards/types';
import { LANGUAGES, type Language } from '../text/language';
import type { Texts } from '../text/en';
import type { AnalysisStore } from './store.svelte';
import { packFrames, PAGE_SCRIPT, scriptJson } from './frame-packing';

export interface PageOptions {
  analysis: AnalysisStore;
  title: string;
  players: string[];
  result: string | null;
  flipped: boolean;
  language: Language;
  appearance: Appearance;
  texts: Texts;
  /** Called before each position is drawn. */
  onProgress: (drawn: number, total: number) => void;
}

/** Draws every position of the game and returns the page's HTML. */
export async function exportPage(options: PageOptions): Promise<string> {
  const { analysis, onProgress } = options;
  const moves = analysis.gameMoves;
  const start = await analysis.loadPosition([]);
  const isDescribed = Boolean(start.board);
  const names = await games[analysis.spec.game]?.loadMoveNames?.();
  const board = await (games[analysis.spec.game]?.loadBoard() ?? (isDescribed ? loadGenericBoard() : null));
  const hiddenContainer = document.createElement('div');
  hiddenContainer.className = 'visually-hidden';
  hiddenContainer.inert = true;
  document.body.append(hiddenContainer);
  const frames: string[] = [];
  try {
    for (let ply = 0; ply <= moves.length; ply += 1) {
      onProgress(ply, moves.length);
      const position = await analysis.loadPosition(moves.slice(0, ply));
      frames.push(drawFrame(board, hiddenContainer, options, position, moves.slice(0, ply)));
    }
  } finally {
    hiddenContainer.remove();
  }
  const named = names?.nameMoves(moves, start, options.language, options.appearance) ?? moves;
  return buildPage(options, named, frames, await collectStyles());
}

/** Draws one position as well-formed XML. */
function drawFrame(
  board: Component<BoardProps> | null,
  container: HTMLElement,
  options: PageOptions,
  position: Position,
  moves: string[],
): string {
  const frame = document.createElement('div');
  container.replaceChildren(frame);
  if (board === null) {
    frame.textContent = position.position;
    return new XMLSerializer().serializeToString(frame);
  }
  const { analysis, flipped, language, appearance } = options;
  const mounted = mount(board, {
    target: frame,
    props: {
      variant: analysis.spec.variant,
      position,
      lastMove: moves.at(-1) ?? null,
      moves,
      legal: [],
      hints: [],
      mySeats: [],
      flipped,
      language,
      appearance,
      onmove: () => undefined,
    },
  });
  flushSync();
  for (const element of frame.querySelectorAll('button, [tabindex]')) {
    element.removeAttribute('tabindex');
  }
  const markup = new XMLSerializer().serializeToString(frame).replace(/<!--.*?-->/gs, '');
  void unmount(mounted);
  return markup;
}

/** The board leaves room for the buttons below it. */
const PAGE_STYLE = `body{max-width:42rem;margin:1.5rem auto;padding:0 1rem}
#board{max-width:max(24rem,100vh - 16rem)}
#moves{display:flex;flex-wrap:wrap;gap:0 .5rem;padding:0;list-style-position:inside}
#moves button{min-height:0;padding:0 .25rem;border:0;background:none}
#moves [aria-current]{background:var(--text);color:var(--background)}`;

/** All rules of the client's style sheets, which include those of the board. Of the fonts only those of the pieces, as data. */
async function collectStyles(): Promise<string> {
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules].map((rule) => ({ rule, base: sheet.href ?? document.baseURI }));
    } catch {
      return [];
    }
  });
  const texts = await Promise.all(
    rules.map(({ rule, base }) => (isFont(rule) ? fontWithData(rule, base) : Promise.resolve(rule.cssText))),
  );
  return texts.join('\n');
}

const isFont = (rule: CSSRule): rule is CSSFontFaceRule => rule.cssText.startsWith('@font-face');

/** A font of pieces with its file in it; another font, or one that cannot be loaded, is left out. */
async function fontWithData(rule: CSSFontFaceRule, base: string): Promise<string> {
  const url = /url\("?([^")]+)"?\)/.exec(rule.cssText)?.[1];
  if (!/Sandboard (Pieces|Symbols)/.test(rule.cssText) || url === undefined) {
    return '';
  }
  try {
    const bytes = new Uint8Array(await (await fetch(new URL(url, base))).arrayBuffer());
    const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    return rule.cssText.replace(url, `data:font/woff2;base64,${data}`);
  } catch {
    return '';
  }
}

/** `moves` are named as in the list of moves. */
function buildPage(options: PageOptions, moves: readonly string[], frames: string[], css: string): string {
  const { texts: t, title, players, result } = options;
  const page = document.implementation.createHTMLDocument(title);
  page.documentElement.lang = LANGUAGES[options.language].tag;
  const theme = document.documentElement.dataset['theme'];
  if (theme !== undefined) {
    page.documentElement.dataset['theme'] = theme;
  }
  const addToHead = (tag: string, attributes: Record<string, string>, text = '') => {
    const element = page.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, value);
    }
    element.textContent = text;
    page.head.append(element);
  };
  addToHead('meta', { charset: 'utf-8' });
  addToHead('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' });
  const add = (parent: HTMLElement, tag: string, attributes: Record<string, string>, text = '') => {
    const element = page.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, value);
    }
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const main = add(page.body, 'main', {});
  add(main, 'h1', {}, title);
  add(main, 'p', {}, players.join(' – '));
  if (result !== null) {
    add(main, 'p', { class: 'lead' }, result);
  }
  add(main, 'div', { id: 'board' });
  const bar = add(main, 'p', { class: 'row' });
  const buttons: [string, string, string][] = [
    ['first', '|◂', t.analysis.toStart],
    ['back', '◂', t.analysis.back],
    ['forward', '▸', t.analysis.forward],
    ['last', '▸|', t.analysis.toEnd],
  ];
  for (const [id, symbol, label] of buttons) {
    add(bar, 'button', { type: 'button', id, 'aria-label': label }, symbol);
  }
  add(bar, 'span', { id: 'where', role: 'status' });
  const list = add(main, 'ol', { id: 'moves' });
  moves.forEach((move, index) => {
    const item = add(list, 'li', {});
    add(item, 'button', { type: 'button', 'data-ply': String(index + 1) }, move);
  });
  add(main, 'script', { type: 'application/json', id: 'frames' }, scriptJson(packFrames(frames)));
  add(main, 'script', {}, PAGE_SCRIPT);
  // As text: this page's policy blocks style elements, also in a document that is only written.
  const html = page.documentElement.outerHTML;
  const end = html.indexOf('</head>');
  const style = `<style>${css.replace(/<\//g, '<\\/')}\n${PAGE_STYLE}</style>`;
  return `<!doctype html>\n${html.slice(0, end)}${style}${html.slice(end)}\n`;
}
