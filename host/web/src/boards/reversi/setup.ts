// Setting up positions of reversi.
import { discSetup } from '../discs';
import { indexOf, parse } from './notation';

const LETTERS = { black: 'X', white: 'O' };

export const setup = discSetup({
  indexOf,
  read: (text) => {
    const { size, discs, next } = parse(text);
    return { size, places: discs, next };
  },
  write: ({ places, next }) => `${places.map((disc) => (disc ? LETTERS[disc] : '-')).join('')} ${LETTERS[next]}`,
});
