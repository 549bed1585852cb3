// What a person set once and finds again: language, theme, sound, looks of pieces, and the last choices of the
// dialog for a new game. Versioned JSON; whatever is read is checked, field by field, and what does not fit falls
// back to its default. Knows no storage but the one it is given.
import type { Lang } from '../boards/board';

export type Theme = 'system' | 'light' | 'dark';

export type SeatKind = 'here' | 'link' | 'engine';

export interface LastSeat {
  kind: SeatKind;
  engine: string;
  options: Record<string, string>;
  budget: string;
}

export interface Settings {
  version: 1;
  name: string;
  lang: Lang;
  theme: Theme;
  sound: boolean;
  /** Whether the exact values of moves are shown, where they can be had. */
  values: boolean;
  /** By game: wishes about looks that its board understands. */
  looks: Record<string, Record<string, string>>;
  game: string;
  /** By game: the last variant. */
  variants: Record<string, string>;
  quickBudget: string;
  /** By game: the last choices for its sides. */
  seats: Record<string, LastSeat[]>;
}

/** The least of `localStorage` that is wanted here. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export const KEY = 'sandboard.settings';

export function defaults(languages: readonly string[]): Settings {
  const first = languages.find((tag) => /^(en|zh)\b/i.test(tag));
  return {
    version: 1,
    name: '',
    lang: first?.toLowerCase().startsWith('zh') === true ? 'zh' : 'en',
    theme: 'system',
    sound: true,
    values: false,
    looks: {},
    game: 'gomoku',
    variants: {},
    quickBudget: '10m+5s',
    seats: {},
  };
}

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown, most: number): string | null {
  return typeof value === 'string' && value.length <= most ? value : null;
}

function oneOf<T extends string>(value: unknown, choices: readonly T[], fallback: T): T {
  return choices.includes(value as T) ? (value as T) : fallback;
}

function map<T>(value: unknown, read: (value: unknown) => T | null): Record<string, T> {
  const found: Record<string, T> = {};
  if (isObject(value)) {
    for (const [key, inner] of Object.entries(value).slice(0, 100)) {
      const good = key.length <= 64 && key !== '__proto__' ? read(inner) : null;
      if (good !== null) {
        found[key] = good;
      }
    }
  }
  return found;
}

function seat(value: unknown): LastSeat | null {
  if (!isObject(value)) {
    return null;
  }
  return {
    kind: oneOf(value['kind'], ['here', 'link', 'engine'], 'here'),
    engine: text(value['engine'], 64) ?? '',
    options: map(value['options'], (option) => text(option, 1000)),
    budget: text(value['budget'], 100) ?? 'none',
  };
}

/** Makes settings of a stored text; what does not fit is as in `fallback`. */
export function readSettings(stored: string | null, fallback: Settings): Settings {
  let found: unknown = null;
  try {
    found = stored === null ? null : JSON.parse(stored);
  } catch {
    return fallback;
  }
  if (!isObject(found) || found['version'] !== 1) {
    return fallback;
  }
  return {
    version: 1,
    name: text(found['name'], 40) ?? fallback.name,
    lang: oneOf(found['lang'], ['en', 'zh'], fallback.lang),
    theme: oneOf(found['theme'], ['system', 'light', 'dark'], fallback.theme),
    sound: typeof found['sound'] === 'boolean' ? found['sound'] : fallback.sound,
    values: typeof found['values'] === 'boolean' ? found['values'] : fallback.values,
    looks: map(found['looks'], (looks) => map(looks, (value) => text(value, 64))),
    game: text(found['game'], 64) ?? fallback.game,
    variants: map(found['variants'], (variant) => text(variant, 64)),
    quickBudget: text(found['quickBudget'], 100) ?? fallback.quickBudget,
    seats: map(found['seats'], (seats) =>
      Array.isArray(seats) ? seats.slice(0, 4).map(seat).filter((value) => value !== null) : null,
    ),
  };
}

export function loadSettings(store: Store, languages: readonly string[]): Settings {
  const fallback = defaults(languages);
  try {
    return readSettings(store.getItem(KEY), fallback);
  } catch {
    return fallback;
  }
}

/** Writes them; a browser that keeps nothing is no error. */
export function saveSettings(store: Store, settings: Settings): void {
  try {
    store.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Private windows and full disks: the settings last as long as the page.
  }
}
