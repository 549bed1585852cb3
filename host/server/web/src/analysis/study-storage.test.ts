// The studies of a browser: the newest are kept, within the bounds of the storage.
import { beforeEach, expect, test } from 'vitest';
import { STUDY_FORMAT, type Study } from './study';
import { listStudies, loadStudy, MAX_STUDIES, removeStudy, saveStudy, type StudyStorage } from './study-storage';

/** A storage that is full after a number of characters. */
class SmallStorage implements StudyStorage {
  readonly texts = new Map<string, string>();
  constructor(readonly capacity = Infinity) {}
  getItem(key: string) {
    return this.texts.get(key) ?? null;
  }
  setItem(key: string, text: string) {
    const others = [...this.texts].filter(([other]) => other !== key).reduce((sum, [, value]) => sum + value.length, 0);
    if (others + text.length > this.capacity) {
      throw new DOMException('full', 'QuotaExceededError');
    }
    this.texts.set(key, text);
  }
  removeItem(key: string) {
    this.texts.delete(key);
  }
}

const study = (title: string): Study => ({
  format: STUDY_FORMAT,
  version: 1,
  game: 'gomoku',
  variant: 'freestyle',
  start: null,
  title,
  names: [],
  nodes: [{ depth: 1, move: 'h8' }],
});
let storage: SmallStorage;
const titles = () => listStudies(storage).map(({ title }) => title);

beforeEach(() => {
  storage = new SmallStorage();
});

test('the study changed last is the first', () => {
  for (const id of ['a', 'b', 'c', 'a']) {
    expect(saveStudy(storage, id, study(id))).toBe(true);
  }
  expect(titles()).toEqual(['a', 'c', 'b']);
  expect(loadStudy(storage, 'b')).toEqual(study('b'));
  removeStudy(storage, 'c');
  expect([titles(), loadStudy(storage, 'c')]).toEqual([['a', 'b'], null]);
});

test('only the newest are kept', () => {
  for (let id = 0; id < MAX_STUDIES + 5; id += 1) {
    saveStudy(storage, String(id), study(String(id)));
  }
  expect(titles()).toHaveLength(MAX_STUDIES);
  expect(titles()[0]).toBe(String(MAX_STUDIES + 4));
  // The list and the studies, and nothing else.
  expect(storage.texts.size).toBe(MAX_STUDIES + 1);
});

test('a full storage drops those changed longest ago', () => {
  storage = new SmallStorage(1500);
  for (let id = 0; id < 10; id += 1) {
    expect(saveStudy(storage, String(id), study(String(id)))).toBe(true);
  }
  expect(titles()[0]).toBe('9');
  expect(titles().length).toBeGreaterThan(1);
  expect(titles().length).toBeLessThan(10);
  for (const title of titles()) {
    expect(loadStudy(storage, title)).not.toBeNull();
  }
  expect(saveStudy(storage, 'large', study('x'.repeat(2000)))).toBe(false);
});

test('damaged texts count as none', () => {
  storage.texts.set('sandboard.studies', '{');
  storage.texts.set('sandboard.study.a', '{"format":"sandboard-study"}');
  expect([titles(), loadStudy(storage, 'a'), loadStudy(storage, 'b')]).toEqual([[], null, null]);
});
