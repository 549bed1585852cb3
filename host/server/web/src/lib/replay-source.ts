// Where the replay screen gets a game from: the requests for its record, its positions and its files. A contest's token is
// read from the browser tab; it is sent as a header and is no part of an address.
import { api } from '../api/client';
import type { Position, PositionRequest } from '../api/types';
import { loadToken } from '../contest/token';
import type { OpenedGame } from './dialogs.svelte';

/** A game that can be replayed. */
export type ReplaySource =
  | { kind: 'bout'; id: string }
  /** The opened file; null: it was closed. */
  | { kind: 'file'; opened: OpenedGame | null }
  | { kind: 'arena'; arena: string; game: string }
  | { kind: 'contest'; contest: string; arena: string; game: string }
  | { kind: 'trial'; contest: string; trial: string };

/** The requests for a game. */
export interface ReplayRequests {
  /** The record; null: a file that is none. */
  record: () => Promise<unknown>;
  position: (request: PositionRequest) => Promise<Position>;
  exportAs: (format: string) => Promise<Blob>;
}

async function recordOfFile({ file }: OpenedGame): Promise<unknown> {
  return file.name.toLowerCase().endsWith('.json') ? JSON.parse(await file.text()) : null;
}

/** The requests for a game; null: the file is closed, or the tab has no token of the contest. */
export function requestsFor(source: ReplaySource): ReplayRequests | null {
  const position = (request: PositionRequest) => api.position(request);
  switch (source.kind) {
    case 'bout': {
      const { id } = source;
      return { record: () => api.bout(id), position, exportAs: (format) => api.exportBout(id, format) };
    }
    case 'file': {
      const { opened } = source;
      return opened === null
        ? null
        : {
            record: () => recordOfFile(opened),
            position,
            exportAs: (format) => api.convertGameFile(opened.file, opened.game.game, opened.number, format),
          };
    }
    case 'arena': {
      const { arena, game } = source;
      return {
        record: () => api.arenaGame(arena, game),
        position,
        exportAs: (format) => api.exportArenaGame(arena, game, format),
      };
    }
    default: {
      const { contest } = source;
      const token = loadToken(sessionStorage, contest);
      if (token === null) {
        return null;
      }
      const ofContest = (request: PositionRequest) => api.contestPosition(token, contest, request);
      return source.kind === 'trial'
        ? {
            record: () => api.contestTrial(token, contest, source.trial),
            position: ofContest,
            exportAs: (format) => api.exportContestTrial(token, contest, source.trial, format),
          }
        : {
            record: () => api.contestGame(token, contest, source.arena, source.game),
            position: ofContest,
            exportAs: (format) => api.exportContestGame(token, contest, source.arena, source.game, format),
          };
    }
  }
}

/** The address of the replay of a contest's game. */
export function contestGameAddress(contest: string, arena: string, game: string): string {
  return `/contests/${[contest, 'games', arena, game].map(encodeURIComponent).join('/')}`;
}

/** The address of the replay of an unrated bout. */
export function contestTrialAddress(contest: string, trial: number): string {
  return `/contests/${encodeURIComponent(contest)}/trials/${trial}`;
}
