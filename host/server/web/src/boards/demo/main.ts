// The gallery page for developers of boards. Not part of the built client.
import { mount } from 'svelte';
import { loadLanguage } from '../../text';
import { isLanguage } from '../../text/language';
import '../../app.css';
import BoardGallery from './BoardGallery.svelte';

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get('theme') ?? 'light';
document.documentElement.lang = query.get('lang') ?? 'en';
const language = query.get('lang');
void loadLanguage(isLanguage(language) ? language : 'en').then(() =>
  mount(BoardGallery, { target: document.getElementById('app')!, props: { query } }),
);
