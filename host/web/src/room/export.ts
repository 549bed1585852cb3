// A game as one page that needs nothing else: the board drawn by its own component for every move, the styles it
// needs, the list of moves, and a few lines of script to go through them. Every text is escaped by the DOM itself.
import { flushSync, mount, unmount, type Component } from 'svelte';
import type { Position } from '../api/types';
import { boards } from '../boards';
import type { BoardProps, Lang } from '../boards/board';
import type { Texts } from '../text/en';
import type { Study } from './study.svelte';
import { packFrames, PLAYER_SCRIPT, scriptText } from './frames';

export interface Export {
  study: Study;
  title: string;
  players: string[];
  result: string | null;
  flipped: boolean;
  lang: Lang;
  settings: Record<string, string>;
  texts: Texts;
  progress: (drawn: number, of: number) => void;
}

/** Draws every position and makes the page. */
export async function exportPage(wish: Export): Promise<string> {
  const moves = wish.study.gameMoves;
  const board = (await boards[wish.study.of.game]?.())?.default ?? null;
  const stage = document.createElement('div');
  stage.className = 'hidden';
  stage.inert = true;
  document.body.append(stage);
  const frames: string[] = [];
  try {
    for (let n = 0; n <= moves.length; n += 1) {
      wish.progress(n, moves.length);
      const position = await wish.study.positionAfter(moves.slice(0, n));
      frames.push(draw(board, stage, wish, position, moves.slice(0, n)));
    }
  } finally {
    stage.remove();
  }
  return page(wish, moves, frames, styles());
}

/** One position as markup that is well-formed XML. */
function draw(
  board: Component<BoardProps> | null,
  stage: HTMLElement,
  wish: Export,
  position: Position,
  moves: string[],
): string {
  const frame = document.createElement('div');
  stage.replaceChildren(frame);
  if (board === null) {
    frame.textContent = position.position;
    return new XMLSerializer().serializeToString(frame);
  }
  const { study, flipped, lang, settings } = wish;
  const drawn = mount(board, {
    target: frame,
    props: {
      variant: study.of.variant,
      position,
      lastMove: moves.at(-1) ?? null,
      moves,
      legal: [],
      hints: [],
      mySeats: [],
      flipped,
      lang,
      settings,
      onmove: () => undefined,
    },
  });
  flushSync();
  for (const element of frame.querySelectorAll('button, [tabindex]')) {
    element.removeAttribute('tabindex');
  }
  const text = new XMLSerializer().serializeToString(frame).replace(/<!--.*?-->/gs, '');
  void unmount(drawn);
  return text;
}

const PAGE_STYLE = `body{max-width:42rem;margin:1.5rem auto;padding:0 1rem}
#moves{display:flex;flex-wrap:wrap;gap:0 .5rem;padding:0;list-style-position:inside}
#moves button{min-height:0;padding:0 .25rem;border:0;background:none}
#moves [aria-current]{background:var(--ink);color:var(--paper)}`;

/** Every rule of the client's style sheets; the board's are among them. */
function styles(): string {
  return [...document.styleSheets]
    .flatMap((sheet) => {
      try {
        return [...sheet.cssRules].map((rule) => rule.cssText);
      } catch {
        return [];
      }
    })
    .join('\n');
}

function page(wish: Export, moves: string[], frames: string[], css: string): string {
  const { texts: t } = wish;
  const made = document.implementation.createHTMLDocument(wish.title);
  made.documentElement.lang = t.tag;
  const theme = document.documentElement.dataset['theme'];
  if (theme !== undefined) {
    made.documentElement.dataset['theme'] = theme;
  }
  const head = (tag: string, attributes: Record<string, string>, text = '') => {
    const element = made.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, value);
    }
    element.textContent = text;
    made.head.append(element);
  };
  head('meta', { charset: 'utf-8' });
  head('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' });
  head('style', {}, `${css.replace(/<\//g, '<\\/')}\n${PAGE_STYLE}`);
  const add = (parent: HTMLElement, tag: string, attributes: Record<string, string>, text = '') => {
    const element = made.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, value);
    }
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const main = add(made.body, 'main', {});
  add(main, 'h1', {}, wish.title);
  add(main, 'p', {}, wish.players.join(' – '));
  if (wish.result !== null) {
    add(main, 'p', { class: 'lead' }, wish.result);
  }
  add(main, 'div', { id: 'board' });
  const bar = add(main, 'p', { class: 'row' });
  const buttons: [string, string, string][] = [
    ['first', '|◂', t.study.first],
    ['back', '◂', t.study.back],
    ['forward', '▸', t.study.forward],
    ['last', '▸|', t.study.last],
  ];
  for (const [id, sign, label] of buttons) {
    add(bar, 'button', { type: 'button', id, 'aria-label': label }, sign);
  }
  add(bar, 'span', { id: 'where', role: 'status' });
  const list = add(main, 'ol', { id: 'moves' });
  moves.forEach((move, n) => {
    const item = add(list, 'li', {});
    add(item, 'button', { type: 'button', 'data-ply': String(n + 1) }, move);
  });
  add(main, 'script', { type: 'application/json', id: 'frames' }, scriptText(packFrames(frames)));
  add(main, 'script', {}, PLAYER_SCRIPT);
  return `<!doctype html>\n${made.documentElement.outerHTML}\n`;
}
