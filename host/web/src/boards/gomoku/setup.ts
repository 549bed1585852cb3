// Setting up positions of gomoku: ordinary play with black in seat 0, whatever the text said of a procedure.
import { discSetup } from '../discs';
import { emptyRuns } from '../setup';
import { indexOf, parse } from './notation';

export const setup = discSetup({
  indexOf,
  read: (text) => {
    const { size, stones, next } = parse(text);
    return { size, places: stones, next };
  },
  write: ({ size, places, next }) => {
    const rows = Array.from({ length: size }, (_, row) =>
      emptyRuns(places.slice(row * size, (row + 1) * size), (stone) => (stone === 'black' ? 'x' : 'o')),
    );
    return `${rows.join('/')} ${next === 'black' ? 'b' : 'w'}`;
  },
});
