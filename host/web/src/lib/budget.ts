// What a player may spend, read and said for people. The server has the last word on a text; this finds
// slips before it is sent.

export type Unit = 'wall' | 'cpu' | 'fuel';

/** Times in microseconds, fuel in units; null where nothing is limited. */
export interface Budget {
  unit: Unit | null;
  perMove: number | null;
  game: { base: number; increment: number; moves: number | null } | null;
  depth: number | null;
  nodes: number | null;
}

/** Why a text is no budget; the shell has a sentence for each. */
export type BudgetFault = 'empty' | 'none-alone' | 'twice' | 'mixed' | 'number' | 'unit' | 'zero' | 'word' | 'large';

export class BudgetError extends Error {
  constructor(
    readonly part: string,
    readonly fault: BudgetFault,
  ) {
    super(`${part}: ${fault}`);
  }
}

const NONE: Budget = { unit: null, perMove: null, game: null, depth: null, nodes: null };

const SCALES: Record<string, number> = { ms: 1_000, s: 1_000_000, m: 60_000_000, h: 3_600_000_000 };

const MOST = 1e18;

function count(text: string, part: string, most = MOST): number {
  const match = /^(\d{1,30})(?:\.(\d{1,20}))?(?:e(\d{1,4}))?$/.exec(text);
  if (match === null) {
    throw new BudgetError(part, 'number');
  }
  const value = Number(text);
  if (value === 0) {
    throw new BudgetError(part, 'zero');
  }
  if (value > most) {
    throw new BudgetError(part, 'large');
  }
  if (!Number.isInteger(value)) {
    throw new BudgetError(part, 'number');
  }
  return value;
}

function amount(unit: Unit, text: string, part: string): number {
  if (unit === 'fuel') {
    return count(text, part);
  }
  const match = /^(\d{1,30}(?:\.\d{1,20})?)(ms|s|m|h)$/.exec(text);
  if (match === null) {
    throw new BudgetError(part, /^[\d.]+$/.test(text) ? 'unit' : 'number');
  }
  const value = Number(match[1]) * (SCALES[match[2] ?? ''] ?? 1);
  if (value === 0) {
    throw new BudgetError(part, 'zero');
  }
  if (value > MOST) {
    throw new BudgetError(part, 'large');
  }
  return Math.round(value);
}

/** Reads a budget's text; throws a `BudgetError` that names the part and what is wrong with it. */
export function parseBudget(text: string): Budget {
  if (text.trim() === 'none') {
    return { ...NONE };
  }
  const budget = { ...NONE };
  for (const piece of text.split(',')) {
    const part = piece.trim();
    if (part === '') {
      throw new BudgetError(text, 'empty');
    }
    if (part === 'none') {
      throw new BudgetError(text, 'none-alone');
    }
    add(budget, part);
  }
  return budget;
}

function add(budget: Budget, part: string): void {
  const once = (value: unknown) => {
    if (value !== null) {
      throw new BudgetError(part, 'twice');
    }
  };
  const colon = part.indexOf(':');
  const word = colon < 0 ? '' : part.slice(0, colon);
  const rest = colon < 0 ? part : part.slice(colon + 1);
  if (word === 'depth') {
    once(budget.depth);
    budget.depth = count(rest, part, 2 ** 32 - 1);
    return;
  }
  if (word === 'nodes') {
    once(budget.nodes);
    budget.nodes = count(rest, part);
    return;
  }
  if (word !== '' && word !== 'cpu' && word !== 'fuel') {
    throw new BudgetError(part, 'word');
  }
  const unit: Unit = word === '' ? 'wall' : word;
  if (budget.unit !== null && budget.unit !== unit) {
    throw new BudgetError(part, 'mixed');
  }
  budget.unit = unit;
  if (rest.endsWith('/move')) {
    once(budget.perMove);
    budget.perMove = amount(unit, rest.slice(0, -'/move'.length), part);
    return;
  }
  once(budget.game);
  const slash = rest.indexOf('/');
  const moves = slash < 0 ? null : count(rest.slice(0, slash), part, 2 ** 32 - 1);
  const clock = slash < 0 ? rest : rest.slice(slash + 1);
  const plus = clock.indexOf('+');
  budget.game = {
    base: amount(unit, plus < 0 ? clock : clock.slice(0, plus), part),
    increment: plus < 0 ? 0 : amount(unit, clock.slice(plus + 1), part),
    moves,
  };
}

/** The words that a budget is said with; a language's table has them. */
export interface BudgetWords {
  none: string;
  perMove: (amount: string) => string;
  game: (base: string, increment: string | null, moves: number | null) => string;
  depth: (depth: number) => string;
  nodes: (nodes: string) => string;
  amount: (value: number, unit: 'ms' | 's' | 'm' | 'h' | 'fuel') => string;
  cpu: string;
  join: string;
}

function said(unit: Unit, value: number, words: BudgetWords): string {
  if (unit === 'fuel') {
    return words.amount(value, 'fuel');
  }
  for (const scale of ['h', 'm', 's'] as const) {
    if (value % (SCALES[scale] ?? 1) === 0) {
      return words.amount(value / (SCALES[scale] ?? 1), scale);
    }
  }
  return words.amount(value / 1000, 'ms');
}

/** Says a budget in words; a text that is none is said as it stands. */
export function sayBudget(text: string, words: BudgetWords): string {
  let budget: Budget;
  try {
    budget = parseBudget(text);
  } catch {
    return text;
  }
  const parts: string[] = [];
  const unit = budget.unit ?? 'wall';
  if (budget.perMove !== null) {
    parts.push(words.perMove(said(unit, budget.perMove, words)));
  }
  if (budget.game !== null) {
    const { base, increment, moves } = budget.game;
    parts.push(words.game(said(unit, base, words), increment > 0 ? said(unit, increment, words) : null, moves));
  }
  if (unit === 'cpu' && parts.length > 0) {
    parts[0] = `${words.cpu} ${parts[0]}`;
  }
  if (budget.depth !== null) {
    parts.push(words.depth(budget.depth));
  }
  if (budget.nodes !== null) {
    parts.push(words.nodes(String(budget.nodes)));
  }
  return parts.length === 0 ? words.none : parts.join(words.join);
}

/** What is offered at once; any other text can be typed. */
export const PRESETS = ['none', '1s/move', '5s/move', '30s/move', '3m+2s', '10m+5s', '30m', 'depth:6', 'fuel:1e9/move'] as const;
