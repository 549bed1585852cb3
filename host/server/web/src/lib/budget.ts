// Budgets: what a player may spend on its moves. Parses budget texts to find mistakes before they are sent, and formats
// them for users. The server decides whether a text is valid.

export type Unit = 'wall' | 'cpu' | 'fuel';

/** Times in microseconds, fuel in units; null: unlimited. */
export interface Budget {
  unit: Unit | null;
  perMove: number | null;
  game: { base: number; increment: number; moves: number | null } | null;
  depth: number | null;
  nodes: number | null;
}

/** Why a text is not a budget. The texts have a sentence for each. */
export type BudgetErrorKind =
  'empty' | 'none-alone' | 'twice' | 'mixed' | 'number' | 'unit' | 'zero' | 'word' | 'large';

export class BudgetError extends Error {
  constructor(
    /** The wrong part of the text. */
    readonly part: string,
    readonly kind: BudgetErrorKind,
  ) {
    super(`${part}: ${kind}`);
  }
}

const NONE: Budget = { unit: null, perMove: null, game: null, depth: null, nodes: null };

/** Time units in microseconds. */
const UNIT_US: Record<string, number> = { ms: 1_000, s: 1_000_000, m: 60_000_000, h: 3_600_000_000 };

const MAX_AMOUNT = 1e18;

function parseCount(text: string, part: string, max = MAX_AMOUNT): number {
  const match = /^(\d{1,30})(?:\.(\d{1,20}))?(?:e(\d{1,4}))?$/.exec(text);
  if (match === null) {
    throw new BudgetError(part, 'number');
  }
  const value = Number(text);
  if (value === 0) {
    throw new BudgetError(part, 'zero');
  }
  if (value > max) {
    throw new BudgetError(part, 'large');
  }
  if (!Number.isInteger(value)) {
    throw new BudgetError(part, 'number');
  }
  return value;
}

function parseAmount(unit: Unit, text: string, part: string): number {
  if (unit === 'fuel') {
    return parseCount(text, part);
  }
  const match = /^(\d{1,30}(?:\.\d{1,20})?)(ms|s|m|h)$/.exec(text);
  if (match === null) {
    throw new BudgetError(part, /^[\d.]+$/.test(text) ? 'unit' : 'number');
  }
  const value = Number(match[1]) * (UNIT_US[match[2] ?? ''] ?? 1);
  if (value === 0) {
    throw new BudgetError(part, 'zero');
  }
  if (value > MAX_AMOUNT) {
    throw new BudgetError(part, 'large');
  }
  return Math.round(value);
}

/** Parses a budget text. Throws a `BudgetError`. */
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
    parsePart(budget, part);
  }
  return budget;
}

function parsePart(budget: Budget, part: string): void {
  const requireUnset = (value: unknown) => {
    if (value !== null) {
      throw new BudgetError(part, 'twice');
    }
  };
  const colon = part.indexOf(':');
  const word = colon < 0 ? '' : part.slice(0, colon);
  const rest = colon < 0 ? part : part.slice(colon + 1);
  if (word === 'depth') {
    requireUnset(budget.depth);
    budget.depth = parseCount(rest, part, 2 ** 32 - 1);
    return;
  }
  if (word === 'nodes') {
    requireUnset(budget.nodes);
    budget.nodes = parseCount(rest, part);
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
    requireUnset(budget.perMove);
    budget.perMove = parseAmount(unit, rest.slice(0, -'/move'.length), part);
    return;
  }
  requireUnset(budget.game);
  const slash = rest.indexOf('/');
  const moves = slash < 0 ? null : parseCount(rest.slice(0, slash), part, 2 ** 32 - 1);
  const clock = slash < 0 ? rest : rest.slice(slash + 1);
  const plus = clock.indexOf('+');
  budget.game = {
    base: parseAmount(unit, plus < 0 ? clock : clock.slice(0, plus), part),
    increment: plus < 0 ? 0 : parseAmount(unit, clock.slice(plus + 1), part),
    moves,
  };
}

/** The texts that make up a formatted budget, in one language. */
export interface BudgetTexts {
  none: string;
  perMove: (amount: string) => string;
  game: (base: string, increment: string | null, moves: number | null) => string;
  depth: (depth: number) => string;
  nodes: (nodes: string) => string;
  amount: (value: number, unit: 'ms' | 's' | 'm' | 'h' | 'fuel') => string;
  cpu: string;
  /** Between the parts of a line; other lines have it, too. */
  listSeparator: string;
}

function formatAmount(unit: Unit, value: number, t: BudgetTexts): string {
  if (unit === 'fuel') {
    return t.amount(value, 'fuel');
  }
  for (const timeUnit of ['h', 'm', 's'] as const) {
    if (value % (UNIT_US[timeUnit] ?? 1) === 0) {
      return t.amount(value / (UNIT_US[timeUnit] ?? 1), timeUnit);
    }
  }
  return t.amount(value / 1000, 'ms');
}

/** A budget for users, in the language of `t`. A text that is not a budget is returned as it is. */
export function formatBudget(text: string, t: BudgetTexts): string {
  let budget: Budget;
  try {
    budget = parseBudget(text);
  } catch {
    return text;
  }
  const parts: string[] = [];
  const unit = budget.unit ?? 'wall';
  if (budget.perMove !== null) {
    parts.push(t.perMove(formatAmount(unit, budget.perMove, t)));
  }
  if (budget.game !== null) {
    const { base, increment, moves } = budget.game;
    parts.push(t.game(formatAmount(unit, base, t), increment > 0 ? formatAmount(unit, increment, t) : null, moves));
  }
  if (unit === 'cpu' && parts.length > 0) {
    parts[0] = `${t.cpu} ${parts[0]}`;
  }
  if (budget.depth !== null) {
    parts.push(t.depth(budget.depth));
  }
  if (budget.nodes !== null) {
    parts.push(t.nodes(String(budget.nodes)));
  }
  return parts.length === 0 ? t.none : parts.join(t.listSeparator);
}

/** The budgets to choose from; any other can be typed. */
export const BUDGET_PRESETS = [
  'none',
  '1s/move',
  '5s/move',
  '30s/move',
  '3m+2s',
  '10m+5s',
  '30m',
  'depth:6',
  'fuel:1e9/move',
] as const;

/** An amount of fuel with a metric prefix: `1 G`, `2.5 M`, `999`. */
export function formatFuel(units: number): string {
  const [size, prefix] =
    (
      [
        [1e12, ' T'],
        [1e9, ' G'],
        [1e6, ' M'],
        [1e3, ' k'],
      ] as const
    ).find(([size]) => units >= size) ?? ([1, ''] as const);
  return `${Number((units / size).toPrecision(4))}${prefix}`;
}
