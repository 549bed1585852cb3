// The definitions in the registry are complete and agree where they share names.
import { expect, test } from 'vitest';
import { games, sideNames } from '.';

test.each(Object.entries(games))('%s: every part loads', async (_, game) => {
  const [board, describeMove, rules] = await Promise.all([
    game.loadBoard(),
    game.loadDescribeMove(),
    game.loadPositionRules?.(),
  ]);
  expect([typeof board, typeof describeMove]).toEqual(['function', 'function']);
  expect(rules?.tools.length ?? 3).toBeGreaterThan(2);
});

test.each(Object.entries(games))('%s: names in every language, losses in order', (_, game) => {
  const { name, sides, exactValuesLabel, appearanceOptions = [], scoreScale } = game;
  const options = appearanceOptions.flatMap(({ label, values }) => [label, ...values.map((value) => value.label)]);
  for (const text of [name, ...Object.values(sides), ...(exactValuesLabel ? [exactValuesLabel] : []), ...options]) {
    expect([text.en.trim(), text.zh.trim()]).not.toContain('');
  }
  expect([...scoreScale.losses].sort((a, b) => a - b)).toEqual(scoreScale.losses);
});

test('games that share a side name it alike', () => {
  for (const { sides } of Object.values(games)) {
    for (const [side, name] of Object.entries(sides)) {
      expect(sideNames[side]).toEqual(name);
    }
  }
});
