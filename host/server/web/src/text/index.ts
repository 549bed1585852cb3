// The tables of texts. Each language is loaded on its own, before the first text of it is shown.
import type { Texts } from './en';
import type { Language } from './language';

const LOADERS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en')).en,
  zh: async () => (await import('./zh')).zh,
  de: async () => (await import('./de')).de,
};

const tables: Partial<Record<Language, Texts>> = {};

/** Loads the table of a language, once. */
export async function loadLanguage(language: Language): Promise<Texts> {
  return (tables[language] ??= await LOADERS[language]());
}

/** The table of a language that has been loaded. */
export function textsOf(language: Language): Texts {
  const table = tables[language];
  if (table === undefined) {
    throw new Error(`the texts of ${language} are not loaded`);
  }
  return table;
}
