// The texts in the chosen language. Components that read them update when the language changes.
import { games, sideNames } from '../boards';
import { prefs } from '../settings/prefs.svelte';
import { texts } from '.';
import type { Texts } from './en';

/** The texts in the chosen language: `i18n.t.nav.play`. */
export const i18n = {
  get t(): Texts {
    return texts[prefs.language];
  },
};

/** A game's name in the chosen language. */
export function gameName(id: string, fallback = id): string {
  return games[id]?.name[prefs.language] ?? fallback;
}

/** The name in the chosen language of a side, which the server names `black`, `NS`, … */
export function sideName(side: string): string {
  return sideNames[side]?.[prefs.language] ?? side.charAt(0).toUpperCase() + side.slice(1);
}
