// Opens the analysis board: with the tree of a game, or with a game of a file.
import type { FileGame } from '../api/types';
import { router } from '../lib/router.svelte';
import { studyOf, studyOfFile, type Study } from './study';
import { saveStudy } from './study-storage';
import type { AnalysisStore } from './store.svelte';

export const studyAddress = (id: string): string => `/analysis/${encodeURIComponent(id)}`;

/** Keeps a study in this browser and shows it. */
export function openStudy(study: Study): void {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('');
  saveStudy(localStorage, id, study);
  router.navigate(studyAddress(id));
}

/** Opens the game that a page shows, with the variations that the viewer has tried. */
export function openAnalysis(analysis: AnalysisStore, title: string, names: string[]): void {
  const { game, variant, start } = analysis.spec;
  openStudy(studyOf({ game, variant, start, title, names }, analysis.tree));
}

/** Opens a game of a file. */
export function openFileGame(file: FileGame): void {
  openStudy(studyOfFile(file, file.label));
}
