// Where places are: every sample board fits, and its places are apart from each other.
import { expect, test } from 'vitest';
import { samples } from '../demo/samples';
import { layoutBoard, placesInRows } from './layout';

const boards = samples.flatMap(({ game, position }) => (position.board ? [[game, position.board] as const] : []));

test.each(boards)('%s: all is inside the picture, and no two places are hit by one click', (_, board) => {
  for (const flipped of [false, true]) {
    const { width, height, elements } = layoutBoard(board, flipped);
    for (const { x, y, width: across, height: down } of elements) {
      expect([x >= 0, y >= 0, x + across <= width + 0.01, y + down <= height + 0.01]).toEqual([true, true, true, true]);
    }
    const places = elements.flatMap((element) => element.places);
    for (const [index, one] of places.entries()) {
      expect([one.x >= 0, one.x + one.width <= width + 0.01]).toEqual([true, true]);
      const overlaps = places
        .slice(index + 1)
        .filter(
          (other) =>
            one.x + one.width > other.x + 0.01 &&
            other.x + other.width > one.x + 0.01 &&
            one.y + one.height > other.y + 0.01 &&
            other.y + other.height > one.y + 0.01,
        );
      expect(overlaps.map(({ id }) => `${one.id} ${id}`)).toEqual([]);
    }
  }
});

test('rows are what people see', () => {
  const check = (game: string, flipped: boolean, expected: string[]) => {
    const board = boards.find(([name]) => name === game)![1];
    const rows = placesInRows(layoutBoard(board, flipped));
    expect(rows.map((row) => row.map(({ id }) => id).join(' ')).slice(0, expected.length)).toEqual(expected);
  };
  check('connect-four', false, ['a6 b6 c6 d6 e6 f6 g6', 'a5 b5 c5 d5 e5 f5 g5']);
  check('connect-four', true, ['g1 f1 e1 d1 c1 b1 a1']);
  check('hex', false, ['a1 b1 c1 d1 e1']);
  check('hex', true, ['e5 d5 c5 b5 a5']);
  check('chinese-checkers', false, ['m1', 'l2 m2', 'k3 l3 m3']);
  check('backgammon', false, ['13 14 15 16 17 18 bar 19 20 21 22 23 24', '12 11 10 9 8 7 off 6 5 4 3 2 1']);
  check('hearts', false, ['north', 'west CK C4 east']);
  check('nine-mens-morris', false, ['black-men', 'a7 d7 g7', 'b6 d6 f6']);
});
