// The studies of this browser. Each is stored on its own; a list says which there are, the most recently changed last. Pure,
// over the part of the `Storage` interface that it needs.
import { parseStudy, type Study } from './study';

/** How many studies are kept; then the one changed longest ago is dropped. */
export const MAX_STUDIES = 30;
const LIST_KEY = 'sandboard.studies';
const keyOf = (id: string) => `sandboard.study.${id}`;

/** The part of the `Storage` interface that is used here. */
export type StudyStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What the list of studies says of one. */
export interface StudyEntry {
  id: string;
  title: string;
  game: string;
  /** RFC 3339. */
  changed: string;
}

function isEntry(value: unknown): value is StudyEntry {
  const entry = value as Partial<StudyEntry> | null;
  return [entry?.id, entry?.title, entry?.game, entry?.changed].every((field) => typeof field === 'string');
}

/** The stored studies, the most recently changed first. */
export function listStudies(storage: StudyStorage): StudyEntry[] {
  try {
    const list: unknown = JSON.parse(storage.getItem(LIST_KEY) ?? '[]');
    return Array.isArray(list) ? list.filter(isEntry).reverse() : [];
  } catch {
    // Damaged or inaccessible storage counts as empty.
    return [];
  }
}

/** The study of an id; null: there is none that can be read. */
export function loadStudy(storage: StudyStorage, id: string): Study | null {
  try {
    return parseStudy(JSON.parse(storage.getItem(keyOf(id)) ?? 'null'));
  } catch {
    return null;
  }
}

function writeList(storage: StudyStorage, entries: StudyEntry[]): void {
  storage.setItem(LIST_KEY, JSON.stringify([...entries].reverse()));
}

/** Stores a study, and drops those changed longest ago while there are too many or too large ones. Returns whether it is stored. */
export function saveStudy(storage: StudyStorage, id: string, study: Study, now = new Date()): boolean {
  const entry = { id, title: study.title, game: study.game, changed: now.toISOString() };
  const others = listStudies(storage).filter((other) => other.id !== id);
  try {
    for (const dropped of others.splice(MAX_STUDIES - 1)) {
      storage.removeItem(keyOf(dropped.id));
    }
    for (;;) {
      try {
        storage.setItem(keyOf(id), JSON.stringify(study));
        writeList(storage, [entry, ...others]);
        return true;
      } catch (error) {
        // The browser's limit of storage is reached.
        const dropped = others.pop();
        if (dropped === undefined) {
          throw error;
        }
        storage.removeItem(keyOf(dropped.id));
      }
    }
  } catch {
    return false;
  }
}

export function removeStudy(storage: StudyStorage, id: string): void {
  try {
    const others = listStudies(storage).filter((other) => other.id !== id);
    storage.removeItem(keyOf(id));
    writeList(storage, others);
  } catch {
    // Without storage there is nothing to remove.
  }
}
