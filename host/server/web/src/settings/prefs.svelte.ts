// The settings as reactive state: components change them in place; changes show at once and are saved.
import { LANGUAGES } from '../text/language';
import { loadSettings, saveSettings } from './settings';

export const prefs = $state(loadSettings(localStorage, navigator.languages));

/** Applies language and theme to the page and saves every change. Call once. */
export function applyPrefs(): void {
  $effect.root(() => {
    $effect(() => {
      document.documentElement.lang = LANGUAGES[prefs.language].tag;
      if (prefs.theme === 'system') {
        delete document.documentElement.dataset['theme'];
      } else {
        document.documentElement.dataset['theme'] = prefs.theme;
      }
    });
    $effect(() => saveSettings(localStorage, $state.snapshot(prefs)));
  });
}
