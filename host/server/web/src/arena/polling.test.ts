// The schedule of long polling, as tables of states and events.
import { expect, test } from 'vitest';
import { initialState, nextState, type PollEvent, type PollState } from './polling';

const INTERVAL_MS = 700;
const requesting = (failures = 0): PollState => ({ activity: 'requesting', failures });
const pausing = (ms: number, failures = 0): PollState => ({ activity: 'pausing', ms, failures });
const suspended = (failures = 0): PollState => ({ activity: 'suspended', failures });
const stopped = (failures = 0): PollState => ({ activity: 'stopped', failures });

test.each<[string, PollState, PollEvent, PollState]>([
  ['a response is followed by a pause', requesting(), 'response', pausing(INTERVAL_MS)],
  ['a response resets the failures', requesting(4), 'response', pausing(INTERVAL_MS)],
  ['the first failure', requesting(), 'failure', pausing(1000, 1)],
  ['the second failure', requesting(1), 'failure', pausing(2000, 2)],
  ['the fifth failure', requesting(4), 'failure', pausing(16_000, 5)],
  ['the sixth failure has the longest pause', requesting(5), 'failure', pausing(30_000, 6)],
  ['the thousandth failure', requesting(999), 'failure', pausing(30_000, 1000)],
  ['a refusal stops polling', requesting(), 'refusal', stopped()],
  ['the end of a pause', pausing(5, 2), 'pause-ended', requesting(2)],
  ['a retry ends the pause', pausing(5, 2), 'retry', requesting(2)],
  ['a retry during a request', requesting(2), 'retry', requesting(2)],
  ['a retry while suspended', suspended(), 'retry', suspended()],
  ['hidden during a request', requesting(1), 'hidden', suspended(1)],
  ['hidden during a pause', pausing(5), 'hidden', suspended()],
  ['shown again', suspended(1), 'shown', requesting(1)],
  ['shown without being hidden before', pausing(5), 'shown', pausing(5)],
  ['a late response while suspended', suspended(), 'response', suspended()],
  ['a late failure does not change a pause', pausing(5, 1), 'failure', pausing(5, 1)],
  ['the end of an aborted pause', suspended(), 'pause-ended', suspended()],
  ['left', pausing(5), 'left', stopped()],
  ['stopped for good', stopped(), 'shown', stopped()],
])('%s', (_, state, event, expected) => {
  expect(nextState(state, event, INTERVAL_MS)).toEqual(expected);
});

test.each<[boolean, PollState]>([
  [true, requesting()],
  [false, suspended()],
])('initial state, visible: %s', (isVisible, expected) => {
  expect(initialState(isVisible)).toEqual(expected);
});
