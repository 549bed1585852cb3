// Parses records of games, as far as needed to replay them. Unknown fields are ignored; a wrong field is an error that
// names it.
import type { EngineLine, LogEntry, OpeningMove, Ply } from '../api/types';

export interface RecordedGame {
  game: string;
  variant: string;
  start: string | null;
  /** The moves that led from `start` to where the game began. */
  opening: OpeningMove[];
  players: { name: string; seats: number[]; side_name: string }[];
  plies: Ply[];
  log: LogEntry[];
  result: { winner: number | null; scores: number[]; sentence: string } | null;
  /** By the number of moves before the comment. */
  comments: Map<number, string>;
}

type JsonObject = Record<string, unknown>;

const asObject = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function requireText(record: JsonObject, field: string): string {
  const value = record[field];
  if (typeof value !== 'string') {
    throw new Error(`the field \`${field}\` of the record is not a text`);
  }
  return value;
}

function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function parseLine(value: unknown): EngineLine | undefined {
  const line = asObject(value);
  if (line === null) {
    return undefined;
  }
  const score = asNumber(line['score']);
  const pv = typeof line['pv'] === 'string' ? line['pv'].split(' ') : asList(line['pv']).map(String);
  return {
    ...(score === null ? {} : { score }),
    depth: asNumber(line['depth']) ?? 0,
    nodes: asNumber(line['nodes']) ?? 0,
    pv: pv.filter((move) => move !== ''),
    rank: 1,
  };
}

/** Returns the name of the side that a seat belongs to. */
export type SideNameOf = (game: string, seat: number) => string;

/** Parses a record. Throws an error that names the wrong field. */
export function parseRecord(value: unknown, sideNameOf: SideNameOf): RecordedGame {
  const record = asObject(value);
  if (record === null || record['format'] !== 'sandboard-record') {
    throw new Error('this is not a record');
  }
  if (record['version'] !== 1) {
    throw new Error(`unknown record version ${String(record['version'])}`);
  }
  const game = requireText(record, 'game');
  const players = asList(record['players']).map((entry, nth) => {
    const player = asObject(entry) ?? {};
    const seats = asList(player['seats']).filter((seat): seat is number => Number.isInteger(seat));
    return { name: requireText(player, 'name'), seats, side_name: sideNameOf(game, seats[0] ?? nth) };
  });
  const playerOfSeat = (seat: number) =>
    Math.max(
      0,
      players.findIndex((player) => player.seats.includes(seat)),
    );
  const seatOf = (move: JsonObject, nth: number) =>
    move['seat'] === null ? null : (asNumber(move['seat']) ?? nth % 2);
  const opening = asList(record['opening']).map((entry, nth): OpeningMove => {
    const move = asObject(entry) ?? {};
    return { seat: seatOf(move, nth), move: requireText(move, 'move') };
  });
  const plies = asList(record['plies']).map((entry, nth): Ply => {
    const ply = asObject(entry) ?? {};
    const seat = seatOf(ply, nth);
    const line = parseLine(ply['line']);
    return {
      ply: nth,
      seat,
      player: seat === null ? null : playerOfSeat(seat),
      move: requireText(ply, 'move'),
      spent_ms: Math.round((asNumber(asObject(ply['spent'])?.['wall_us']) ?? 0) / 1000),
      ...(line === undefined ? {} : { line }),
      ...(typeof ply['origin'] === 'string' ? { origin: ply['origin'] } : {}),
    };
  });
  return {
    game,
    variant: requireText(record, 'variant'),
    start: typeof record['start'] === 'string' ? record['start'] : null,
    opening,
    players,
    plies,
    log: parseLog(record),
    result: parseResult(record['result']),
    comments: new Map(),
  };
}

/** The players in the order of their sides. A record may list the player of the second side first. */
export function sortBySide<P extends { seats: number[] }>(players: P[]): P[] {
  return [...players].sort((a, b) => Math.min(...a.seats, Infinity) - Math.min(...b.seats, Infinity) || 0);
}

/** The log entry of a move that was refused. */
export function refusalEntry(at_ply: number, move: string, reason: string): LogEntry {
  const text = `${move}: ${reason}`;
  return { at_ply, kind: 'refused', text, message: { code: 'move_refused', params: { mv: move, reason }, text } };
}

function parseLog(record: JsonObject): LogEntry[] {
  const events = asList(record['events']).flatMap((entry): LogEntry[] => {
    const event = asObject(entry) ?? {};
    const at_ply = asNumber(event['at_ply']) ?? 0;
    if (event['event'] === 'fault') {
      return [{ at_ply, kind: 'fault', text: String(event['sentence'] ?? '') }];
    }
    if (event['event'] === 'refused') {
      return [refusalEntry(at_ply, String(event['move'] ?? ''), String(event['reason'] ?? ''))];
    }
    return [];
  });
  const logs = asList(record['logs']).flatMap((entry): LogEntry[] => {
    const log = asObject(entry);
    return typeof log?.['text'] === 'string'
      ? [{ at_ply: asNumber(log['at_ply']) ?? 0, kind: 'engine', text: log['text'] }]
      : [];
  });
  return [...events, ...logs].sort((a, b) => a.at_ply - b.at_ply);
}

function parseResult(value: unknown): RecordedGame['result'] {
  const result = asObject(value);
  if (result === null) {
    return null;
  }
  const winner = asNumber(result['winner']);
  const scores = asList(result['scores']).filter((score): score is number => Number.isInteger(score));
  return { winner, scores, sentence: typeof result['sentence'] === 'string' ? result['sentence'] : '' };
}

/** The number of outcomes of chance with which a game begins: the deal of a card game. */
export function countDealt(plies: readonly { seat: number | null }[]): number {
  const first = plies.findIndex(({ seat }) => seat !== null);
  return first === -1 ? plies.length : first;
}
