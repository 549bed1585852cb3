/* global CACHE, FILES */
// Keeps the files of a published page, so that it works without a network after the first visit. `sandboard publish` writes
// the constants `CACHE` and `FILES` before this text: the name of this version, and the files.
const PREFIX = CACHE.slice(0, CACHE.lastIndexOf(' ') + 1);

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  const isOld = (name) => name.startsWith(PREFIX) && name !== CACHE;
  const removeOld = (names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
  event.waitUntil(
    caches
      .keys()
      .then(removeOld)
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  if (event.request.method === 'GET') {
    const kept = caches.open(CACHE).then((cache) => cache.match(event.request, { ignoreSearch: true }));
    event.respondWith(kept.then((response) => response ?? fetch(event.request)));
  }
});
