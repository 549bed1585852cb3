// The entry point of a published page: mounts it, and keeps its files for use without a network.
import { mount } from 'svelte';
import '../app.css';
import '../fonts/fonts.css';
import { prefs } from '../settings/prefs.svelte';
import { loadLanguage } from '../text';
import App from './App.svelte';

const target = document.getElementById('app');
if (target !== null) {
  // Not awaited here: the tables import from the file of this module.
  void loadLanguage(prefs.language).then(() => mount(App, { target }));
}
// Browsers allow it on secure addresses and on this machine only; elsewhere the page works with a network.
if ('serviceWorker' in navigator) {
  navigator.serviceWorker.register('service-worker.js').catch(() => undefined);
}
