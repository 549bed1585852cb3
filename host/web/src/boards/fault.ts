// What is wrong with a position text, in the words that every board shows. Draws nothing.

/** A position text that no board can draw: which text, where in it, and why. */
export class NotationError extends Error {
  constructor(
    readonly text: string,
    /** Where it begins, in characters from 0. */
    readonly at: number,
    readonly reason: string,
  ) {
    super(`position \`${text}\`, character ${at + 1}: ${reason}`);
    this.name = 'NotationError';
  }
}

/** What was read, or why it could not be. */
export type Reading<T> = { ok: T; error?: undefined } | { ok?: undefined; error: NotationError };

/** Reads without throwing what is wrong with the text; any other error goes on. */
export function attempt<T>(read: () => T): Reading<T> {
  try {
    return { ok: read() };
  } catch (error) {
    if (error instanceof NotationError) return { error };
    throw error;
  }
}

/** The words of a text with the place where each begins. */
export function wordsOf(text: string): { text: string; at: number }[] {
  return Array.from(text.matchAll(/\S+/g), (found) => ({ text: found[0], at: found.index }));
}
