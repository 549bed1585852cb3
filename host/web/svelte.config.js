// Read by svelte-check and by the plugin of Vite; nothing is set beyond their defaults.
export default {};
