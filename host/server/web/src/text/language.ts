// The languages of the client. A new language is a row here, a row in `LOADERS` beside this file, and its tables.
import type { BoardTexts } from './boards.en';

/** The languages: their names for themselves, their tags, and the tags by which `Intl` formats numbers and dates. */
export const LANGUAGES = {
  en: { name: 'English', tag: 'en', locale: 'en-GB' },
  zh: { name: '中文', tag: 'zh-Hans', locale: 'zh-CN' },
  de: { name: 'Deutsch', tag: 'de', locale: 'de-DE' },
} as const satisfies Record<string, { name: string; tag: string; locale: string }>;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_IDS = Object.keys(LANGUAGES) as Language[];

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(LANGUAGES, value);

/** The first of a browser's languages that the client has; else English. */
export function preferredLanguage(tags: readonly string[]): Language {
  const primary = tags.map((tag) => tag.toLowerCase().split('-')[0]);
  return primary.find(isLanguage) ?? 'en';
}

/** A text of the boards in any language: how it is read from a language's table. */
export type LocalizedText = (texts: BoardTexts) => string;
