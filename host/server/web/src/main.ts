// The entry point: mounts the shell on the page.
import { mount } from 'svelte';
import './app.css';
import App from './App.svelte';

const target = document.getElementById('app');
if (target !== null) {
  mount(App, { target });
}
