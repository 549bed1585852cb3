// The user's stored settings: language, theme, sound, appearance of boards, and the last choices for a new game. Stored as
// versioned JSON; every field is checked when read, and an invalid field gets its default.
import { MAX_SEATS } from '../lib/seats';
import { LANGUAGE_IDS, preferredLanguage, type Language } from '../text/language';

export type Theme = 'system' | 'light' | 'dark';

/** Who plays a seat: a person at this browser, a person invited by a link, an engine on the server, or one in this browser. */
export const SEAT_KINDS = ['here', 'link', 'engine', 'device'] as const;
export type SeatKind = (typeof SEAT_KINDS)[number];

export interface SavedSeat {
  kind: SeatKind;
  engine: string;
  options: Record<string, string>;
  budget: string;
}

export interface Settings {
  version: 1;
  name: string;
  language: Language;
  theme: Theme;
  sound: boolean;
  /** Whether the first tap on a small point only aims, and the second one plays. */
  twoTaps: boolean;
  /** Whether letters and the space key are shortcuts on pages with a board. */
  shortcuts: boolean;
  /** Whether exact values of moves are shown where they are available. */
  showValues: boolean;
  /** By game: the appearance options of its board. */
  appearance: Record<string, Record<string, string>>;
  game: string;
  /** The last variant, by game. */
  variants: Record<string, string>;
  /** The budget of the last quick game. */
  quickBudget: string;
  /** Whether chance gives the sides of a new game. */
  randomSides: boolean;
  /** The last choices for each player, by game. */
  seats: Record<string, SavedSeat[]>;
}

/** The part of the `Storage` interface that is used here. */
export interface KeyValueStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export const SETTINGS_KEY = 'sandboard.settings';

export function defaultSettings(languages: readonly string[]): Settings {
  return {
    version: 1,
    name: '',
    language: preferredLanguage(languages),
    theme: 'system',
    sound: true,
    twoTaps: true,
    shortcuts: true,
    showValues: false,
    appearance: {},
    game: 'gomoku',
    variants: {},
    quickBudget: '10m+5s',
    randomSides: false,
    seats: {},
  };
}

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(value: unknown, maxLength: number): string | null {
  return typeof value === 'string' && value.length <= maxLength ? value : null;
}

function readChoice<T extends string>(value: unknown, choices: readonly T[], fallback: T): T {
  return choices.includes(value as T) ? (value as T) : fallback;
}

function readMap<T>(value: unknown, read: (value: unknown) => T | null): Record<string, T> {
  const result: Record<string, T> = {};
  if (isObject(value)) {
    for (const [key, inner] of Object.entries(value).slice(0, 100)) {
      const item = key.length <= 64 && key !== '__proto__' ? read(inner) : null;
      if (item !== null) {
        result[key] = item;
      }
    }
  }
  return result;
}

function readSeat(value: unknown): SavedSeat | null {
  if (!isObject(value)) {
    return null;
  }
  return {
    kind: readChoice(value['kind'], SEAT_KINDS, 'here'),
    engine: readText(value['engine'], 64) ?? '',
    options: readMap(value['options'], (option) => readText(option, 1000)),
    budget: readText(value['budget'], 100) ?? 'none',
  };
}

/** Reads settings from stored text. Invalid and missing fields are taken from `fallback`. */
export function parseSettings(stored: string | null, fallback: Settings): Settings {
  let parsed: unknown;
  try {
    parsed = stored === null ? null : JSON.parse(stored);
  } catch {
    return fallback;
  }
  if (!isObject(parsed) || parsed['version'] !== 1) {
    return fallback;
  }
  return {
    version: 1,
    name: readText(parsed['name'], 40) ?? fallback.name,
    language: readChoice(parsed['language'], LANGUAGE_IDS, fallback.language),
    theme: readChoice(parsed['theme'], ['system', 'light', 'dark'], fallback.theme),
    sound: typeof parsed['sound'] === 'boolean' ? parsed['sound'] : fallback.sound,
    shortcuts: typeof parsed['shortcuts'] === 'boolean' ? parsed['shortcuts'] : fallback.shortcuts,
    twoTaps: typeof parsed['twoTaps'] === 'boolean' ? parsed['twoTaps'] : fallback.twoTaps,
    showValues: typeof parsed['showValues'] === 'boolean' ? parsed['showValues'] : fallback.showValues,
    appearance: readMap(parsed['appearance'], (options) => readMap(options, (value) => readText(value, 64))),
    game: readText(parsed['game'], 64) ?? fallback.game,
    variants: readMap(parsed['variants'], (variant) => readText(variant, 64)),
    quickBudget: readText(parsed['quickBudget'], 100) ?? fallback.quickBudget,
    randomSides: typeof parsed['randomSides'] === 'boolean' ? parsed['randomSides'] : fallback.randomSides,
    seats: readMap(parsed['seats'], (seats) =>
      Array.isArray(seats)
        ? seats
            .slice(0, MAX_SEATS)
            .map(readSeat)
            .filter((value) => value !== null)
        : null,
    ),
  };
}

export function loadSettings(storage: KeyValueStorage, languages: readonly string[]): Settings {
  const fallback = defaultSettings(languages);
  try {
    return parseSettings(storage.getItem(SETTINGS_KEY), fallback);
  } catch {
    return fallback;
  }
}

/** Saves the settings. A browser that stores nothing is not an error. */
export function saveSettings(storage: KeyValueStorage, settings: Settings): void {
  try {
    storage.setItem(SETTINGS_KEY, JSON.stringify(settings));
  } catch {
    // A private window or a full disk: the settings last as long as the page.
  }
}
