// How moves on a board as data are described.
import { expect, test } from 'vitest';
import { sampleOf } from '../demo/samples';
import { describeMove } from './names';

test.each([
  ['hex', 'c3', 'en', 'c3'],
  ['hex', 'swap', 'en', 'Swap sides'],
  ['connect-four', 'c', 'en', 'c'],
  ['chess', 'f3e5', 'en', 'white knight f3 to e5'],
  ['chess', 'f3e5', 'zh', 'white knight f3 到 e5'],
  ['chess', 'b7b8q', 'en', 'white pawn b7 to b8, queen'],
  ['chess', 'unknown', 'en', 'unknown'],
  ['backgammon', '24/23', 'en', 'white 24 to 23'],
  ['kuhn-poker', 'bet', 'en', 'Call'],
] as const)('%s %s in %s', (game, move, language, expected) => {
  expect(describeMove(move, sampleOf(game, 'described').position, language)).toBe(expected);
});

test('without a position it is the text', () => {
  expect(describeMove('f3e5', null, 'en')).toBe('f3e5');
});
