// The texts of the server in the chosen language. The server sends them as codes with parameters; a record has texts only,
// whose code and parameters are found by the templates that the server makes them from.
import codes from './codes.json';
import type { Texts } from './en';
import type { OwnText } from './game-texts';

export type MessageCode = keyof typeof codes;

/** For every code a template, with the parameters of the English one. */
export type MessageTexts = Readonly<Record<MessageCode, string>>;

/** A text of the server. */
export interface ServerMessage {
  code: string;
  params?: Readonly<Record<string, string | ServerMessage>>;
  /** The English text. */
  text: string;
}

interface Template {
  code: MessageCode;
  names: string[];
  pattern: RegExp;
  literalLength: number;
}

const escaped = (literal: string) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Templates with more literal text come first: they say more about a text. */
const templates: readonly Template[] = Object.entries(codes)
  .map(([code, template]): Template => {
    const parts = template.split(/\{(\w+)\}/);
    const literals = parts.filter((_, index) => index % 2 === 0);
    // The name of a player may have brackets, that of a side has none.
    const pattern = parts
      .map((part, index) => (index % 2 === 0 ? escaped(part) : part === 'side' ? '([^()]+?)' : '(.+?)'))
      .join('');
    return {
      code: code as MessageCode,
      names: parts.filter((_, index) => index % 2 === 1),
      pattern: new RegExp(`^${pattern}$`, 's'),
      literalLength: literals.join('').length,
    };
  })
  .sort((a, b) => b.literalLength - a.literalLength);

const TEXT_LENGTH_MAX = 4096;

/** The message that has this English text; null: it has no code. Parameters may be messages in turn. */
export function messageOf(text: string): ServerMessage | null {
  if (text.length > TEXT_LENGTH_MAX) {
    return null;
  }
  for (const { code, names, pattern } of templates) {
    const values = pattern.exec(text);
    if (values !== null) {
      return { code, params: Object.fromEntries(names.map((name, index) => [name, values[index + 1] ?? ''])), text };
    }
  }
  return null;
}

/** The parameters whose values are names of people and engines: no text of a game. */
const NAMES = ['name', 'player', 'players'];
/** The parameters whose values are words of the game, and not names or texts of others. */
const WORDS = ['color', 'side', 'piece', 'suit', 'seat', 'holder', 'first', 'second', 'unit', 'call', 'span'];
const DEPTH_MAX = 4;

function paramText(name: string, value: string | ServerMessage, t: Texts, own: OwnText, depth: number): string {
  if (typeof value !== 'string') {
    return own(value.text) ?? messageText(value, t, own, depth - 1);
  }
  const ownText = NAMES.includes(name) ? undefined : own(value);
  if (ownText !== undefined) {
    return ownText;
  }
  if (WORDS.includes(name)) {
    return t.messageWords[`${name} ${value}`] ?? t.messageWords[value] ?? value;
  }
  const amount = /^([\d.]+)(ms|s|m|h)$/.exec(value);
  if (amount !== null) {
    return t.budget.amount(Number(amount[1]), amount[2] as 'ms' | 's' | 'm' | 'h');
  }
  if (name === 'card' && /^[SHDC][AKQJT2-9]$/.test(value)) {
    return `${{ S: '♠', H: '♥', D: '♦', C: '♣' }[value[0] as 'S' | 'H' | 'D' | 'C']}\uFE0E${value[1] === 'T' ? '10' : value[1]!}`;
  }
  const message = depth > 0 ? messageOf(value) : null;
  return message === null ? value : messageText(message, t, own, depth - 1);
}

function messageText({ code, params = {}, text }: ServerMessage, t: Texts, own: OwnText, depth: number): string {
  if (!Object.hasOwn(t.messages, code)) {
    return text;
  }
  return t.messages[code as MessageCode].replace(/\{(\w+)\}/g, (_, name: string) =>
    paramText(name, params[name] ?? '', t, own, depth),
  );
}

/** A text of the server in the language of a table; one without a code, and of no game, stays as it is. */
export function translate(
  text: string,
  message: ServerMessage | null | undefined,
  t: Texts,
  own: OwnText = () => undefined,
): string {
  const known = message ?? messageOf(text);
  return own(text) ?? (known === null ? text : messageText(known, t, own, DEPTH_MAX));
}
