// The keys of pages with a board, which work wherever the focus is. Knows what has keys of its own: fields, dialogs, boards,
// areas that scroll.

export type Shortcut = 'back' | 'forward' | 'start' | 'end' | 'flip' | 'zen' | 'main' | 'help';

const KEYS: ReadonlyMap<string, Shortcut> = new Map(
  Object.entries({
    ArrowLeft: 'back',
    ArrowRight: 'forward',
    ArrowUp: 'start',
    ArrowDown: 'end',
    Home: 'start',
    End: 'end',
    f: 'flip',
    z: 'zen',
    ' ': 'main',
    '?': 'help',
  } as const),
);

/** The keys of each action as the help shows them; the order is that of the help. */
export const SHORTCUT_KEYS: readonly (readonly [Shortcut, string])[] = [
  ['back', '←'],
  ['forward', '→'],
  ['start', '↑'],
  ['end', '↓'],
  ['main', '␣'],
  ['flip', 'f'],
  ['zen', 'z'],
  ['help', '?'],
];

/** What has every key for itself. */
const FIELDS = 'input, select, textarea, dialog, [contenteditable]';
/** What is pressed by the space key. A board takes the key itself if the keyboard has reached one of its cells. */
const PRESSED = 'button, a, summary';
/** What scrolls with the arrow keys. */
const SCROLLED = '[tabindex="0"]:not(button, a, [role="gridcell"])';

/**
 * The action of a key; null: none. Characters mean nothing if `withCharacters` is false, for people whose speech or whose hands
 * press keys by mistake (WCAG 2.1, 2.1.4).
 */
export function shortcutOf(event: KeyboardEvent, withCharacters: boolean): Shortcut | null {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) {
    return null;
  }
  const isCharacter = event.key.length === 1;
  if ((isCharacter && !withCharacters) || (event.shiftKey && event.key !== '?')) {
    return null;
  }
  const target = event.target instanceof Element ? event.target : null;
  const others = event.key === ' ' ? `${FIELDS}, ${PRESSED}` : isCharacter ? FIELDS : `${FIELDS}, ${SCROLLED}`;
  return target?.closest(others) == null ? (KEYS.get(isCharacter ? event.key.toLowerCase() : event.key) ?? null) : null;
}
