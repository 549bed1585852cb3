// The entry point: mounts the shell on the page.
import { mount } from 'svelte';
import './app.css';
import './fonts/fonts.css';
import App from './App.svelte';
import { prefs } from './settings/prefs.svelte';
import { loadLanguage } from './text';

const target = document.getElementById('app');
if (target !== null) {
  // Not awaited here: the tables import from the file of this module.
  void loadLanguage(prefs.language).then(() => mount(App, { target }));
}
