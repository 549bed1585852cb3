// The definitions in the registry are complete and agree where they share names.
import { expect, test } from 'vitest';
import { textsOf } from '../text';
import { LANGUAGE_IDS } from '../text/language';
import { games } from '.';

test.each(Object.entries(games))('%s: every part loads', async (_, game) => {
  const [board, describeMove, rules] = await Promise.all([
    game.loadBoard(),
    game.loadDescribeMove(),
    game.loadPositionRules?.(),
  ]);
  expect([typeof board, typeof describeMove]).toEqual(['function', 'function']);
  expect(rules?.tools.length ?? 3).toBeGreaterThan(2);
});

test.each(Object.entries(games))('%s: names in every language, losses in order', (id, game) => {
  const { exactValuesLabel, appearanceOptions = [], scoreScale } = game;
  const options = appearanceOptions.flatMap(({ label, values }) => [label, ...values.map((value) => value.label)]);
  for (const { boards } of LANGUAGE_IDS.map(textsOf)) {
    const texts = [...(exactValuesLabel ? [exactValuesLabel] : []), ...options].map((text) => text(boards).trim());
    expect([boards.names[id]?.trim() ?? '', ...texts]).not.toContain('');
  }
  expect([...scoreScale.losses].sort((a, b) => a - b)).toEqual(scoreScale.losses);
});
