// The texts that plugged-in games bring along in other languages: of their manifests, and of what their rules say. Pure.
import type { Position } from '../api/types';

/** The translations of a game's texts: for each language tag, such as `zh` or `pt-BR`, by the original text. */
export type Translations = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A game's own text for one that it says; undefined: it has none. */
export type OwnText = (text: string) => string | undefined;

const primaryOf = (tag: string): string => tag.toLowerCase().split('-')[0]!;

/** The translations into a language of the client. Of several tags of this language the shortest counts. */
function textsIn(language: string, translations: Translations): Readonly<Record<string, string>> {
  const tags = Object.keys(translations).filter((tag) => primaryOf(tag) === language);
  const tag = tags.sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
  return tag === undefined ? {} : translations[tag]!;
}

const BLANK = '{}';

/**
 * The words of a text in the places of `{}` in a pattern; null: the text has another form. A word is at least one character
 * long and has no space. The time is linear: patterns come from manifests, which are not trusted.
 */
function wordsIn(text: string, pattern: string): string[] | null {
  const [start = '', ...parts] = pattern.split(BLANK);
  if (!text.startsWith(start)) {
    return null;
  }
  const words: string[] = [];
  let from = start.length;
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    const to = isLast ? text.length - part.length : text.indexOf(part, from + 1);
    const word = text.slice(from, Math.max(from, to));
    if (to <= from || /\s/.test(word) || !text.startsWith(part, to)) {
      return null;
    }
    words.push(word);
    from = to + part.length;
  }
  return from === text.length ? words : null;
}

/** The patterns of translations, by the translations: a page asks for many texts of one game. */
const sortedPatterns = new WeakMap<Readonly<Record<string, string>>, readonly string[]>();

/** The texts with `{}`, those with the most literal text first. */
function patternsOf(texts: Readonly<Record<string, string>>): readonly string[] {
  const before = sortedPatterns.get(texts);
  if (before !== undefined) {
    return before;
  }
  const literals = (pattern: string) => pattern.replaceAll(BLANK, '').length;
  const patterns = Object.keys(texts).filter((text) => text.includes(BLANK));
  patterns.sort((a, b) => literals(b) - literals(a));
  sortedPatterns.set(texts, patterns);
  return patterns;
}

/**
 * Finds the translations of texts into a language of the client: of the text itself, or of a pattern with `{}` in place of
 * words that vary; of several the one with the most literal text. The words keep their order, and are translated, too.
 */
export function ownTexts(language: string, translations: Translations = {}): OwnText {
  const texts = textsIn(language, translations);
  const find = (text: string) => (Object.hasOwn(texts, text) ? texts[text] : undefined);
  return (text) => {
    const found = find(text);
    if (found !== undefined) {
      return found;
    }
    for (const pattern of patternsOf(texts)) {
      const words = wordsIn(text, pattern);
      if (words !== null) {
        return texts[pattern]!.split(BLANK).reduce((sentence, part, at) => {
          const word = words[at - 1] ?? '';
          return sentence + (find(word) ?? word) + part;
        });
      }
    }
    return undefined;
  };
}

/** A position whose prompt, and whose texts on the board, are in the game's own words of a language. */
export function withOwnTexts(position: Position, own: OwnText): Position {
  const say = (text: string) => own(text) ?? text;
  const named = <T extends { name?: string }>(thing: T): T =>
    thing.name === undefined ? thing : { ...thing, name: say(thing.name) };
  const { prompt, board } = position;
  const ownPrompt = prompt == null ? undefined : own(prompt);
  return {
    ...position,
    // A message whose code is unknown is shown as its text.
    ...(ownPrompt === undefined ? {} : { prompt_message: { code: 'own-text', text: ownPrompt } }),
    ...(board == null
      ? {}
      : {
          board: {
            ...board,
            elements: board.elements.map((row) =>
              row.map((element) =>
                element.kind === 'text'
                  ? { ...element, text: say(element.text) }
                  : element.kind === 'grid'
                    ? element
                    : named(element),
              ),
            ),
            ...(board.pieces === undefined ? {} : { pieces: board.pieces.map(named) }),
            ...(board.moves === undefined
              ? {}
              : {
                  moves: board.moves.map((entry) =>
                    entry.label === undefined ? entry : { ...entry, label: say(entry.label) },
                  ),
                }),
          },
        }),
  };
}
