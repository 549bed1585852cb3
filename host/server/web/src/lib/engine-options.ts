// Options of engines.
import type { Engine } from '../api/types';

/** The options to send to an engine: those that it has, with values other than their defaults. */
export function changedOptions(engine: Engine | undefined, options: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => {
      const option = engine?.options.find((other) => other.name === name);
      return option !== undefined && value !== '' && value !== String(option.default);
    }),
  );
}
