// Helpers for reading position texts, and the error that every board shows for a text that it cannot read.

/** A position text cannot be read. */
export class NotationError extends Error {
  constructor(
    readonly text: string,
    /** The index in `text` of the first wrong character. */
    readonly index: number,
    readonly reason: string,
  ) {
    super(`position \`${text}\`, character ${index + 1}: ${reason}`);
    this.name = 'NotationError';
  }
}

/** Either a value or the error that prevented it. */
export type ParseResult<T> = { value: T; error?: undefined } | { value?: undefined; error: NotationError };

/** Returns a `NotationError` instead of throwing it. Other errors are thrown on. */
export function tryParse<T>(parse: () => T): ParseResult<T> {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof NotationError) {
      return { error };
    }
    throw error;
  }
}

export interface Word {
  text: string;
  /** The index of its first character in the whole text. */
  index: number;
}

/** The words of a text, separated by blanks. */
export function splitWords(text: string): Word[] {
  return Array.from(text.matchAll(/\S+/g), (match) => ({ text: match[0], index: match.index }));
}
