// The texts in the chosen language. Components that read them update when the language changes.
import { prefs } from '../settings/prefs.svelte';
import { loadLanguage, textsOf } from '.';
import type { Texts } from './en';
import { ownTexts, type OwnText, type Translations } from './game-texts';
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

/** The texts that a game brings along. */
interface GameTexts {
  id: string;
  name: string;
  translations?: Translations;
}

/** The texts of the games of the server, by the game's id. */
let gameTexts = $state.raw<Readonly<Record<string, GameTexts>>>({});

/** Takes over the texts of these games, in place of those of others. */
export function setGameTexts(games: readonly GameTexts[]): void {
  gameTexts = Object.fromEntries(games.map((game) => [game.id, game]));
}

/** The parts of a line, separated as the chosen language does. Empty parts are left out. */
export function listed(...parts: (string | null | undefined)[]): string {
  return parts.filter(Boolean).join(i18n.t.budget.listSeparator);
}

/** A plugged-in game's own texts in the chosen language; a game that is not known has none. */
export function ownTextsOf(game: string | undefined): OwnText {
  return ownTexts(prefs.language, game === undefined ? {} : gameTexts[game]?.translations);
}

/** A text of a game's manifest or of its rules in the chosen language; without a translation it stays as it is. */
export function gameText(game: string, text: string): string {
  return ownTextsOf(game)(text) ?? text;
}

/** A game's name in the chosen language; the id of a game that the server does not know. */
export function gameName(id: string): string {
  return i18n.t.boards.names[id] ?? gameText(id, gameTexts[id]?.name ?? id);
}

/** What is played: the names of a game and of a variant's text. */
export function gameTitle(game: string, variant: string): string {
  return listed(gameName(game), variantName(game, variant));
}

/** The name in the chosen language of a game's side, which the server names `black`, `NS`, … */
export function sideName(side: string, game: string | undefined): string {
  return ownTextsOf(game)(side) ?? i18n.t.boards.sides[side] ?? side.charAt(0).toUpperCase() + side.slice(1);
}

/** A text of the server in the chosen language. One without a code stays as it is, unless the game translates it. */
export function serverText(text: string, message?: ServerMessage | null, game?: string): string {
  return translate(text, message, i18n.t, ownTextsOf(game));
}

/**
 * What is wrong, of a kind of problem: its text, or the kind before a text that has no code. `game` is the game whose rules
 * may have said it.
 */
export function problemText(kind: string, detail: string, message?: ServerMessage | null, game?: string): string {
  const { problemKinds } = i18n.t;
  if (kind === 'network' || kind === 'status') {
    return problemKinds[kind] ?? detail;
  }
  const known = message ?? messageOf(detail);
  const title = problemKinds[kind];
  const text = serverText(detail, known, game);
  return known === null && title !== undefined ? i18n.t.common.labelled(title, text) : text;
}

/** The name of a variant's text in the chosen language, such as `freestyle-19`. */
export function variantName(game: string, text: string): string {
  const { variants, variant } = i18n.t.boards;
  for (const form of [/^(.*?)()(?::fifths=(\d+))?$/, /^(.*?)-(\d+)(?::fifths=(\d+))?$/]) {
    const [, id = '', size = '', fifths] = form.exec(text) ?? [];
    const name = variants[`${game}/${id}`]?.[0];
    if (name !== undefined) {
      return variant(name, size === '' ? null : Number(size), fifths === undefined ? null : Number(fifths), game);
    }
    const own = ownTextsOf(game)(id);
    if (own !== undefined) {
      return variant(own, size === '' ? null : Number(size), null, game);
    }
  }
  return text;
}

/** What a variant is, in the chosen language. */
export function variantAbout(game: string, id: string, fallback: string): string {
  return i18n.t.boards.variants[`${game}/${id}`]?.[1] ?? gameText(game, fallback);
}
