// Positions to look at boards with, as the rules answered them: for the demo page and for the tests of what is drawn.
import type { Position } from '../../api/types';
import type { Hint, Values } from '../board';
import data from './samples.json';

/** A position of a game, how it came about, what is pointed out in it, and what its moves come to. */
export interface Sample {
  name: string;
  game: string;
  variant: string;
  moves: string[];
  hints: Hint[];
  values?: Values;
  position: Position;
}

export const samples = data as unknown as Sample[];

/** The sample of that name. Throws where there is none. */
export function sample(game: string, name: string): Sample {
  const found = samples.find((it) => it.game === game && it.name === name);
  if (!found) throw new Error(`no sample ${name} of ${game}`);
  return found;
}
