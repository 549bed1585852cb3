// The settings as the screens see them: changed in place, shown at once, written down by themselves.
import { loadSettings, saveSettings } from './settings';
import { en, type Texts } from '../text/en';
import { zh } from '../text/zh';

export const prefs = $state(loadSettings(localStorage, navigator.languages));

const tables = { en, zh };

/** The texts in the chosen language: `i.t.nav.play`. */
export const i = {
  get t(): Texts {
    return tables[prefs.lang];
  },
};

/** Shows language and theme on the page and keeps the settings; called once. */
export function applyPrefs(): void {
  $effect.root(() => {
    $effect(() => {
      document.documentElement.lang = i.t.tag;
      if (prefs.theme === 'system') {
        delete document.documentElement.dataset['theme'];
      } else {
        document.documentElement.dataset['theme'] = prefs.theme;
      }
    });
    $effect(() => saveSettings(localStorage, $state.snapshot(prefs)));
  });
}

/** A game's name in the chosen language. */
export function gameName(id: string, fallback = id): string {
  return i.t.game.names[id] ?? fallback;
}

/** A side's name in the chosen language. */
export function sideName(side: string): string {
  return i.t.game.sides[side] ?? side;
}
