// Draws a board over a sample for tests, and lets them look, press keys and click as a person would.
import { flushSync, mount, tick, unmount, type Component } from 'svelte';
import type { BoardProps } from '../board';
import { sample } from './samples';

/** A board on a page, and what it answered. */
export interface Drawn {
  /** The moves it asked for. */
  moves: string[];
  /** What the places are called, from left to right and from the top. */
  names: () => string[];
  /** The name of the place with the focus. */
  focused: () => string | null;
  /** The places that the tab key reaches. */
  stops: () => string[];
  focus: () => void;
  press: (...keys: string[]) => Promise<void>;
  /** Clicks the place or button of that name. */
  click: (name: string) => void;
  text: () => string;
  /** Tells the board something else. */
  change: (changed: Partial<BoardProps>) => Promise<void>;
  element: HTMLElement;
  remove: () => Promise<void>;
}

/** Draws the sample of that name, with some of what the board is told changed. */
export function draw(board: Component<BoardProps>, game: string, name: string, changed: Partial<BoardProps> = {}): Drawn {
  const { position, variant, moves: played, hints, values = null } = sample(game, name);
  const element = document.createElement('div');
  document.body.append(element);
  const moves: string[] = [];
  const props: BoardProps = $state({
    variant, position, hints, values, moves: played,
    lastMove: played.at(-1) ?? null,
    legal: position.legal,
    mySeats: [position.to_move],
    flipped: false,
    lang: 'en',
    settings: {},
    onmove: (move: string) => moves.push(move),
    ...changed,
  });
  const mounted = mount(board, { target: element, props });
  flushSync();
  const named = (it: Element) => it.getAttribute('aria-label') ?? it.textContent?.trim() ?? '';
  const cells = () => [...element.querySelectorAll('[role=gridcell]')];
  const focusedElement = () => (element.contains(document.activeElement) ? document.activeElement : null);
  return {
    moves,
    element,
    names: () => cells().map(named),
    focused: () => focusedElement()?.getAttribute('aria-label') ?? null,
    stops: () => cells().filter((it) => it.getAttribute('tabindex') === '0').map(named),
    focus: () => {
      element.querySelector<HTMLElement>('[role=gridcell][tabindex="0"]')?.focus();
      flushSync();
    },
    press: async (...keys) => {
      for (const key of keys) {
        const [, ctrl, plain] = /^(Ctrl\+)?(.+)$/.exec(key)!;
        focusedElement()?.dispatchEvent(new KeyboardEvent('keydown', { key: plain!, ctrlKey: ctrl !== undefined, bubbles: true, cancelable: true }));
        flushSync();
        await tick();
      }
    },
    click: (wanted) => {
      const found = [...cells(), ...element.querySelectorAll('button')].find((it) => named(it) === wanted || named(it).startsWith(`${wanted},`));
      if (!found) throw new Error(`nothing is called ${wanted}`);
      found.dispatchEvent(new MouseEvent('click', { bubbles: true }));
      flushSync();
    },
    text: () => element.textContent ?? '',
    change: async (other) => {
      Object.assign(props, other);
      flushSync();
      await tick();
    },
    remove: async () => {
      await unmount(mounted);
      element.remove();
    },
  };
}
