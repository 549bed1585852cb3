// A record as the client reads it: what is needed to show and to replay it. Whatever else it holds is left alone;
// what does not fit is an error that names the field.
import type { Line, LogEntry, Ply } from '../api/types';

export interface Replayed {
  game: string;
  variant: string;
  start: string | null;
  players: { name: string; seats: number[]; side_name: string }[];
  plies: Ply[];
  log: LogEntry[];
  result: { winner: 0 | 1 | null; sentence: string } | null;
  comments: Map<number, string>;
}

type Json = Record<string, unknown>;

const object = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function text(record: Json, field: string): string {
  const value = record[field];
  if (typeof value !== 'string') {
    throw new Error(`the record has no text in \`${field}\``);
  }
  return value;
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function lineOf(value: unknown): Line | undefined {
  const line = object(value);
  if (line === null) {
    return undefined;
  }
  const score = number(line['score']);
  const pv = typeof line['pv'] === 'string' ? line['pv'].split(' ') : list(line['pv']).map(String);
  return {
    ...(score === null ? {} : { score }),
    depth: number(line['depth']) ?? 0,
    nodes: number(line['nodes']) ?? 0,
    pv: pv.filter((move) => move !== ''),
    rank: 1,
  };
}

/** The name of a side, by its index; the game's table has them. */
export type SideNames = (game: string, side: 0 | 1) => string;

/** Reads a record; throws an error that names what is wrong. */
export function readRecord(value: unknown, sideNames: SideNames): Replayed {
  const record = object(value);
  if (record === null || record['format'] !== 'sandboard-record') {
    throw new Error('this is no record');
  }
  if (record['version'] !== 1) {
    throw new Error(`records of version ${String(record['version'])} are not known`);
  }
  const game = text(record, 'game');
  const players = list(record['players']).map((entry, nth) => {
    const player = object(entry) ?? {};
    const seats = list(player['seats']).filter((seat): seat is number => Number.isInteger(seat));
    const side = ((seats[0] ?? nth) % 2) as 0 | 1;
    return { name: text(player, 'name'), seats, side_name: sideNames(game, side) };
  });
  const ofSeat = (seat: number) => Math.max(0, players.findIndex((player) => player.seats.includes(seat)));
  const plies = list(record['plies']).map((entry, nth): Ply => {
    const ply = object(entry) ?? {};
    const seat = number(ply['seat']) ?? nth % 2;
    const line = lineOf(ply['line']);
    return {
      ply: nth,
      seat,
      player: ofSeat(seat),
      move: text(ply, 'move'),
      spent_ms: Math.round((number(object(ply['spent'])?.['wall_us']) ?? 0) / 1000),
      ...(line === undefined ? {} : { line }),
      ...(typeof ply['mark'] === 'string' ? { mark: ply['mark'] } : {}),
    };
  });
  return {
    game,
    variant: text(record, 'variant'),
    start: typeof record['start'] === 'string' ? record['start'] : null,
    players,
    plies,
    log: logOf(record),
    result: resultOf(record['result']),
    comments: new Map(),
  };
}

/** The players in the order of their sides: who has the second seat may stand first in a record. */
export function bySide<P extends { seats: number[] }>(players: P[]): P[] {
  return [...players].sort((a, b) => Math.min(...a.seats, Infinity) - Math.min(...b.seats, Infinity) || 0);
}

function logOf(record: Json): LogEntry[] {
  const events = list(record['events']).flatMap((entry): LogEntry[] => {
    const event = object(entry) ?? {};
    const at_ply = number(event['at_ply']) ?? 0;
    if (event['event'] === 'fault') {
      return [{ at_ply, kind: 'fault', text: String(event['sentence'] ?? '') }];
    }
    if (event['event'] === 'refused') {
      return [{ at_ply, kind: 'refused', text: `${String(event['move'] ?? '')}: ${String(event['reason'] ?? '')}` }];
    }
    return [];
  });
  const logs = list(record['logs']).flatMap((entry): LogEntry[] => {
    const log = object(entry);
    return typeof log?.['text'] === 'string'
      ? [{ at_ply: number(log['at_ply']) ?? 0, kind: 'engine', text: log['text'] }]
      : [];
  });
  return [...events, ...logs].sort((a, b) => a.at_ply - b.at_ply);
}

function resultOf(value: unknown): Replayed['result'] {
  const result = object(value);
  if (result === null) {
    return null;
  }
  const winner = result['winner'] === 0 || result['winner'] === 1 ? result['winner'] : null;
  return { winner, sentence: typeof result['sentence'] === 'string' ? result['sentence'] : '' };
}

