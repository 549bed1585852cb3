// What a watch does after what happened, as tables; and a whole life of one.
import { expect, test } from 'vitest';
import { after, begin, type Happened, type Poll } from './poll';

const CALM_MS = 700;
const asking = (failures = 0): Poll => ({ doing: 'asking', failures });
const pausing = (ms: number, failures = 0): Poll => ({ doing: 'pausing', ms, failures });
const resting = (failures = 0): Poll => ({ doing: 'resting', failures });
const over = (failures = 0): Poll => ({ doing: 'over', failures });

test.each<[string, Poll, Happened, Poll]>([
  ['an answer is followed by a calm pause', asking(), 'told', pausing(CALM_MS)],
  ['an answer forgets the failures before it', asking(4), 'told', pausing(CALM_MS)],
  ['the first failure', asking(), 'failed', pausing(1000, 1)],
  ['the second failure', asking(1), 'failed', pausing(2000, 2)],
  ['the fifth failure', asking(4), 'failed', pausing(16_000, 5)],
  ['the sixth failure: no pause is longer', asking(5), 'failed', pausing(30_000, 6)],
  ['the thousandth failure', asking(999), 'failed', pausing(30_000, 1000)],
  ['a refusal is the end', asking(), 'refused', over()],
  ['the pause is over', pausing(5, 2), 'due', asking(2)],
  ['the pause is cut short', pausing(5, 2), 'hurry', asking(2)],
  ['hurry asks nothing twice', asking(2), 'hurry', asking(2)],
  ['hurry wakes nobody', resting(), 'hurry', resting()],
  ['hidden while asking', asking(1), 'hidden', resting(1)],
  ['hidden while pausing', pausing(5), 'hidden', resting()],
  ['shown again', resting(1), 'shown', asking(1)],
  ['shown, and was never hidden', pausing(5), 'shown', pausing(5)],
  ['a late answer wakes nobody', resting(), 'told', resting()],
  ['a late failure shortens no pause', pausing(5, 1), 'failed', pausing(5, 1)],
  ['a pause that was given up', resting(), 'due', resting()],
  ['left', pausing(5), 'left', over()],
  ['over is over', over(), 'shown', over()],
])('%s', (_, poll, happened, expected) => {
  expect(after(poll, happened, CALM_MS)).toEqual(expected);
});

test.each<[boolean, Poll]>([
  [true, asking()],
  [false, resting()],
])('begins, seen: %s', (seen, expected) => {
  expect(begin(seen)).toEqual(expected);
});
