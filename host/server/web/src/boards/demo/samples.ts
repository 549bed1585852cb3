// Sample positions for the gallery and for tests of boards, as the server answered them, and described boards.
import type { Position } from '../../api/types';
import type { MoveHint, MoveValues } from '../types';
import { describedSamples } from './described';
import data from './samples.json';

export interface Sample {
  name: string;
  game: string;
  variant: string;
  /** The moves that led to the position. */
  moves: string[];
  hints: MoveHint[];
  values?: MoveValues;
  position: Position;
}

export const samples = [...(data as unknown as Sample[]), ...describedSamples];

/** The sample of this game and name. Throws if there is none. */
export function sampleOf(game: string, name: string): Sample {
  const sample = samples.find((other) => other.game === game && other.name === name);
  if (!sample) {
    throw new Error(`${game} has no sample \`${name}\``);
  }
  return sample;
}
