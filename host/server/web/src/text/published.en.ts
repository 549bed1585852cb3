// The English texts of a published page.
export const published = {
  loading: 'Loading the engine …',
  failed: (why: string) => `The page cannot be loaded: ${why}`,
  failedHint: 'Its files must come from a web server. On this computer, `python3 -m http.server` in its folder is one.',
  by: (author: string) => `by ${author}`,
  onDevice: 'The engine runs in this browser. Nothing is sent anywhere.',
  newGame: 'New game',
  yourSide: 'Your side',
  chance: 'By chance',
  strength: 'Strength',
  fullStrength: 'Full strength',
  start: 'Start',
  engineThinks: 'The engine is thinking …',
  late: 'The engine took too long and was ended. Begin a new game.',
  analysisLines: 'Analysis: lines',
  download: 'Download game',
};
