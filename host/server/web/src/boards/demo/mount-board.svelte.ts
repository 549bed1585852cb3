// Mounts a board over a sample for tests, which then read names, press keys and click as a person would.
import { flushSync, mount, tick, unmount, type Component } from 'svelte';
import type { BoardProps } from '../types';
import { sampleOf } from './samples';

/** A mounted board. */
export interface MountedBoard {
  /** The moves that it reported. */
  moves: string[];
  /** The accessible names of the cells, row by row from the top. */
  names: () => string[];
  /** The name of the focused cell; null: the focus is elsewhere. */
  focused: () => string | null;
  /** The names of the cells that the tab key reaches. */
  tabStops: () => string[];
  focus: () => void;
  press: (...keys: string[]) => Promise<void>;
  /** Clicks the cell or button of this name. */
  click: (name: string) => void;
  text: () => string;
  /** Changes some of its props. */
  change: (changed: Partial<BoardProps>) => Promise<void>;
  element: HTMLElement;
  remove: () => Promise<void>;
}

/** Mounts a board over a sample, with some of its props changed. */
export function mountBoard(
  board: Component<BoardProps>,
  game: string,
  name: string,
  changed: Partial<BoardProps> = {},
): MountedBoard {
  const { position, variant, moves: played, hints, values = null } = sampleOf(game, name);
  const element = document.createElement('div');
  document.body.append(element);
  const moves: string[] = [];
  const props: BoardProps = $state({
    variant,
    position,
    hints,
    values,
    moves: played,
    lastMove: played.at(-1) ?? null,
    legal: position.legal,
    mySeats: [position.to_move],
    flipped: false,
    language: 'en',
    appearance: {},
    onmove: (move: string) => moves.push(move),
    ...changed,
  });
  const mounted = mount(board, { target: element, props });
  flushSync();
  const nameOf = (control: Element) => control.getAttribute('aria-label') ?? control.textContent?.trim() ?? '';
  const cells = () => [...element.querySelectorAll('[role=gridcell]')];
  const focusedElement = () => (element.contains(document.activeElement) ? document.activeElement : null);
  return {
    moves,
    element,
    names: () => cells().map(nameOf),
    focused: () => focusedElement()?.getAttribute('aria-label') ?? null,
    tabStops: () =>
      cells()
        .filter((cell) => cell.getAttribute('tabindex') === '0')
        .map(nameOf),
    focus: () => {
      element.querySelector<HTMLElement>('[role=gridcell][tabindex="0"]')?.focus();
      flushSync();
    },
    press: async (...keys) => {
      for (const key of keys) {
        const [, ctrl, name] = /^(Ctrl\+)?(.+)$/.exec(key)!;
        focusedElement()?.dispatchEvent(
          new KeyboardEvent('keydown', { key: name!, ctrlKey: ctrl !== undefined, bubbles: true, cancelable: true }),
        );
        flushSync();
        await tick();
      }
    },
    click: (name) => {
      const control = [...cells(), ...element.querySelectorAll('button')].find(
        (other) => nameOf(other) === name || nameOf(other).startsWith(`${name},`),
      );
      if (!control) {
        throw new Error(`no cell or button is named ${name}`);
      }
      control.dispatchEvent(new MouseEvent('click', { bubbles: true }));
      flushSync();
    },
    text: () => element.textContent ?? '',
    change: async (changedProps) => {
      Object.assign(props, changedProps);
      flushSync();
      await tick();
    },
    remove: async () => {
      await unmount(mounted);
      element.remove();
    },
  };
}
