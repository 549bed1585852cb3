// The entry point: mounts the shell on the page.
import { mount } from 'svelte';
import './app.css';
import App from './App.svelte';
import { prefs } from './settings/prefs.svelte';
import { loadLanguage } from './text';

const target = document.getElementById('app');
if (target !== null) {
  await loadLanguage(prefs.language);
  mount(App, { target });
}
