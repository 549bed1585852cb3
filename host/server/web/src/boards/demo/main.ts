// The gallery page for developers of boards. Not part of the built client.
import { mount } from 'svelte';
import '../../app.css';
import BoardGallery from './BoardGallery.svelte';

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get('theme') ?? 'light';
document.documentElement.lang = query.get('lang') ?? 'en';
mount(BoardGallery, { target: document.getElementById('app')!, props: { query } });
