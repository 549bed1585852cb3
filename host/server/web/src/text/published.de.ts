// The German texts of a published page.
import type { published as english } from './published.en';

export const published: typeof english = {
  loading: 'Lädt die Engine …',
  failed: (why) => `Die Seite lässt sich nicht laden: ${why}`,
  failedHint:
    'Ihre Dateien müssen von einem Webserver kommen. Auf diesem Rechner ist `python3 -m http.server` in ihrem Ordner einer.',
  by: (author) => `von ${author}`,
  onDevice: 'Die Engine läuft in diesem Browser. Nichts wird irgendwohin gesendet.',
  newGame: 'Neue Partie',
  yourSide: 'Deine Seite',
  chance: 'Durch Zufall',
  strength: 'Stärke',
  fullStrength: 'Volle Stärke',
  start: 'Beginnen',
  engineThinks: 'Die Engine denkt …',
  late: 'Die Engine hat zu lange gebraucht und wurde beendet. Beginne eine neue Partie.',
  analysisLines: 'Analyse: Varianten',
  download: 'Partie herunterladen',
};
