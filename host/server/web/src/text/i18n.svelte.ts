// The texts in the chosen language. Components that read them update when the language changes.
import { prefs } from '../settings/prefs.svelte';
import { loadLanguage, textsOf } from '.';
import type { Texts } from './en';
import type { Language } from './language';
import { messageOf, translate, type ServerMessage } from './messages';

/** The texts in the chosen language: `i18n.t.nav.play`. */
export const i18n = {
  get t(): Texts {
    return textsOf(prefs.language);
  },
};

/** Changes the language, once its texts are loaded. */
export async function changeLanguage(language: Language): Promise<void> {
  await loadLanguage(language);
  prefs.language = language;
}

/** A game's name in the chosen language. */
export function gameName(id: string, fallback = id): string {
  return i18n.t.boards.names[id] ?? fallback;
}

/** The name in the chosen language of a side, which the server names `black`, `NS`, … */
export function sideName(side: string): string {
  return i18n.t.boards.sides[side] ?? side.charAt(0).toUpperCase() + side.slice(1);
}

/** A text of the server in the chosen language; without a code it stays as it is. */
export function serverText(text: string, message?: ServerMessage | null): string {
  return translate(text, message, i18n.t);
}

/** What is wrong, of a kind of problem: its text, or the kind before a text that has no code. */
export function problemText(kind: string, detail: string, message?: ServerMessage | null): string {
  const { problemKinds } = i18n.t;
  if (kind === 'network' || kind === 'status') {
    return problemKinds[kind] ?? detail;
  }
  const known = message ?? messageOf(detail);
  const title = problemKinds[kind];
  return known === null && title !== undefined ? i18n.t.common.labelled(title, detail) : serverText(detail, known);
}

/** The name of a variant's text in the chosen language, such as `freestyle-19`. */
export function variantName(game: string, text: string): string {
  const { variants, variant } = i18n.t.boards;
  for (const form of [/^(.*?)()(?::fifths=(\d+))?$/, /^(.*?)-(\d+)(?::fifths=(\d+))?$/]) {
    const [, id = '', size = '', fifths] = form.exec(text) ?? [];
    const name = variants[`${game}/${id}`]?.[0];
    if (name !== undefined) {
      return variant(name, size === '' ? null : Number(size), fifths === undefined ? null : Number(fifths));
    }
  }
  return text;
}

/** What a variant is, in the chosen language. */
export function variantAbout(game: string, id: string, fallback: string): string {
  return i18n.t.boards.variants[`${game}/${id}`]?.[1] ?? fallback;
}
