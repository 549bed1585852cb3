// Which keys do what, and where they are left to what has the focus.
import { afterEach, expect, test } from 'vitest';
import { shortcutOf } from './shortcuts';

afterEach(() => {
  document.body.replaceChildren();
});

const PLACES: Record<string, string> = {
  page: '<main><p class="at">text</p></main>',
  button: '<button class="at">Flip</button>',
  field: '<input class="at">',
  list: '<select class="at"></select>',
  dialog: '<dialog open><p><button class="at">Close</button></p></dialog>',
  cell: '<svg><g role="gridcell" tabindex="0" class="at"></g></svg>',
  scrolled: '<section tabindex="0" class="at"></section>',
  moves: '<div role="group"><button tabindex="0" class="at">h8</button></div>',
};

test.each([
  ['page', 'ArrowLeft', {}, 'back'],
  ['page', 'ArrowRight', {}, 'forward'],
  ['page', 'ArrowUp', {}, 'start'],
  ['page', 'ArrowDown', {}, 'end'],
  ['page', 'Home', {}, 'start'],
  ['page', 'End', {}, 'end'],
  ['page', 'f', {}, 'flip'],
  ['page', 'F', {}, 'flip'],
  ['page', 'F', { shiftKey: true }, null],
  ['page', 'z', {}, 'zen'],
  ['page', ' ', {}, 'main'],
  ['page', '?', { shiftKey: true }, 'help'],
  ['page', 'x', {}, null],
  ['page', 'toString', {}, null],
  ['page', 'f', { ctrlKey: true }, null],
  ['page', 'ArrowLeft', { altKey: true }, null],
  ['page', 'z', { metaKey: true }, null],
  ['button', 'ArrowLeft', {}, 'back'],
  ['button', 'f', {}, 'flip'],
  ['button', ' ', {}, null],
  ['moves', 'ArrowUp', {}, 'start'],
  ['field', 'f', {}, null],
  ['field', 'ArrowLeft', {}, null],
  ['list', 'ArrowDown', {}, null],
  ['dialog', 'f', {}, null],
  ['cell', ' ', {}, 'main'],
  ['cell', 'ArrowLeft', {}, 'back'],
  ['cell', 'f', {}, 'flip'],
  ['scrolled', 'ArrowDown', {}, null],
  ['scrolled', 'f', {}, 'flip'],
] as const)('in %s, %s with %o is %s', (place, key, modifiers, expected) => {
  const parsed = new DOMParser().parseFromString(PLACES[place] ?? '', 'text/html');
  document.body.replaceChildren(...parsed.body.children);
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers });
  let found: string | null = null;
  window.addEventListener('keydown', (event) => (found = shortcutOf(event, true)), { once: true });
  document.querySelector('.at')?.dispatchEvent(event);
  expect(found).toBe(expected);
});

test.each([
  ['f', null],
  [' ', null],
  ['?', null],
  ['ArrowLeft', 'back'],
] as const)('without characters, %s is %s', (key, expected) => {
  expect(shortcutOf(new KeyboardEvent('keydown', { key }), false)).toBe(expected);
});

test('a key that something else has used does nothing', () => {
  const event = new KeyboardEvent('keydown', { key: 'ArrowLeft', cancelable: true });
  event.preventDefault();
  expect(shortcutOf(event, true)).toBe(null);
});
