// The engines that people are offered as opponents, and their levels of strength. Pure.
import type { Engine } from '../api/types';

/** The option of an engine that sets its level: a whole number from 1; 0 is full strength. */
export const LEVEL_OPTION = 'level';
/** An engine with more levels shows a number field instead of one choice for each. */
const MAX_LEVELS = 20;

/** The levels of an engine, the weakest first; empty: it has none. */
export function levelsOf(engine: Pick<Engine, 'options'>): number[] {
  const option = engine.options.find(({ name, type }) => name === LEVEL_OPTION && type === 'spin');
  const first = Math.max(1, option?.min ?? 1);
  const count = (option?.max ?? 0) - first + 1;
  return count < 2 || count > MAX_LEVELS ? [] : Array.from({ length: count }, (_, index) => first + index);
}

/** Whether an engine is offered as an opponent. Those for tests of hosts are not. */
export const isOpponent = ({ purpose }: Pick<Engine, 'purpose'>): boolean => purpose !== 'test';

/**
 * The opponent for a game with one click: an engine with levels, if there is one, and rather one of the house than one that a
 * visitor has uploaded.
 */
export function houseOpponent(opponents: readonly Engine[]): Engine | undefined {
  const isOfHouse = ({ uploaded_file }: Engine) => uploaded_file === null;
  const hasLevels = (engine: Engine) => levelsOf(engine).length > 0;
  return (
    opponents.find((engine) => isOfHouse(engine) && hasLevels(engine)) ??
    opponents.find(isOfHouse) ??
    opponents.find(hasLevels) ??
    opponents[0]
  );
}

/** The options of an engine as forms show them: `tunable` are weights that a tuner varies. */
export function groupOptions(engine: Pick<Engine, 'options'>): {
  plain: Engine['options'];
  tunable: Engine['options'];
} {
  const shownAsLevels = levelsOf(engine).length > 0;
  const others = engine.options.filter(({ name }) => !(shownAsLevels && name === LEVEL_OPTION));
  return {
    plain: others.filter(({ tunable }) => tunable !== true),
    tunable: others.filter(({ tunable }) => tunable === true),
  };
}
