// The settings as reactive state: components change them in place; changes show at once and are saved.
import { texts } from '../text';
import { loadSettings, saveSettings } from './settings';

export const prefs = $state(loadSettings(localStorage, navigator.languages));

/** Applies language and theme to the page and saves every change. Call once. */
export function applyPrefs(): void {
  $effect.root(() => {
    $effect(() => {
      document.documentElement.lang = texts[prefs.language].tag;
      if (prefs.theme === 'system') {
        delete document.documentElement.dataset['theme'];
      } else {
        document.documentElement.dataset['theme'] = prefs.theme;
      }
    });
    $effect(() => saveSettings(localStorage, $state.snapshot(prefs)));
  });
}
