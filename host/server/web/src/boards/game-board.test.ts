// The view of a game that has no board of its own, as a plugged-in game.
import { flushSync, mount, unmount } from 'svelte';
import { expect, test, vi } from 'vitest';
import GameBoard from './GameBoard.svelte';
import { sampleOf } from './demo/samples';

/** Mounts the view of a position with these legal moves and facts; returns it, and the moves that it reports. */
function mountUnknown(legal: string[], facts: Record<string, unknown>) {
  const { position } = sampleOf('reversi', 'start');
  const element = document.createElement('div');
  document.body.append(element);
  const moves: string[] = [];
  const mounted = mount(GameBoard, {
    target: element,
    props: {
      game: 'connect-four',
      variant: 'standard',
      position: { ...position, position: '//////', legal, facts },
      lastMove: null,
      legal,
      hints: [],
      mySeats: [0],
      flipped: false,
      onmove: (move: string) => moves.push(move),
    },
  });
  flushSync();
  return { element, moves, remove: () => unmount(mounted) };
}

test('the diagram of the rules is shown, or else the position text', async () => {
  const check = async (facts: Record<string, unknown>, expected: [string | null, boolean]) => {
    const { element, remove } = mountUnknown([], facts);
    const diagram = element.querySelector('pre')?.textContent ?? null;
    expect([diagram, element.textContent.includes('//////')]).toEqual(expected);
    await remove();
  };
  await check({ diagram: ' . .\n a b\n' }, [' . .\n a b\n', false]);
  await check({}, [null, true]);
  await check({ diagram: 7 }, [null, true]);
});

test('few moves are buttons', async () => {
  const { element, moves, remove } = mountUnknown(['a', 'b'], {});
  const buttons = [...element.querySelectorAll('button')];
  expect(buttons.map((button) => button.textContent)).toEqual(['a', 'b']);
  buttons[1]?.click();
  expect(moves).toEqual(['b']);
  await remove();
});

test('many moves are no buttons: the room has a field for typed moves', async () => {
  const check = async (count: number, expected: number) => {
    const legal = Array.from({ length: count }, (_, index) => `m${index}`);
    const { element, remove } = mountUnknown(legal, {});
    expect(element.querySelectorAll('button')).toHaveLength(expected);
    await remove();
  };
  await check(60, 60);
  await check(61, 0);
});

test('a board as data is drawn', async () => {
  const { position } = sampleOf('connect-four', 'described');
  const element = document.createElement('div');
  document.body.append(element);
  const moves: string[] = [];
  const mounted = mount(GameBoard, {
    target: element,
    props: {
      game: 'connect-four',
      variant: 'standard',
      position,
      lastMove: null,
      legal: position.legal,
      hints: [],
      mySeats: [0],
      flipped: false,
      onmove: (move: string) => moves.push(move),
    },
  });
  await vi.waitUntil(() => element.querySelector('[role=grid]'));
  flushSync();
  element.querySelector('[data-cell=c4]')?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  expect(moves).toEqual(['c']);
  expect(element.querySelector('pre')).toBeNull();
  await unmount(mounted);
});
