// The configuration of svelte-check and of Vite's Svelte plugin: their defaults.
export default {};
