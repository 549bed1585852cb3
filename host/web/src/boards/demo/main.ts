// The demo page of the boards: shows the samples that the address asks for. Never part of the client.
import { mount } from 'svelte';
import '../../app.css';
import Demo from './Demo.svelte';

const wishes = new URLSearchParams(location.search);
document.documentElement.dataset.theme = wishes.get('theme') ?? 'light';
document.documentElement.lang = wishes.get('lang') ?? 'en';
mount(Demo, { target: document.getElementById('app')!, props: { wishes } });
