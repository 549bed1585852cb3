// When a page asks again for what it shows: at once after it is opened, calmly after each answer, after errors with
// growing pauses, never while nobody looks. Pure: what happened in, what is to be done out; `watch.svelte.ts` does it.

/** What a watch does at this moment. */
export type Doing =
  /** A request is out. */
  | { doing: 'asking' }
  /** Nothing, for so long. */
  | { doing: 'pausing'; ms: number }
  /** Nothing, until somebody looks. */
  | { doing: 'resting' }
  /** Nothing any more. */
  | { doing: 'over' };

export type Poll = Doing & {
  /** How many requests failed one after another. */
  failures: number;
};

export type Happened =
  /** An answer, be it that nothing is new. */
  | 'told'
  /** No answer, or one that may be another the next time. */
  | 'failed'
  /** An answer that will always be the same: there is no such thing, or it may not be seen. */
  | 'refused'
  /** The pause is over. */
  | 'due'
  /** The network is back, or somebody asks to try again. */
  | 'hurry'
  | 'hidden'
  | 'shown'
  | 'left';

/** The first pause after an error, and the longest. */
const PAUSE_MS = 1000;
const PAUSE_MOST_MS = 30_000;

export const begin = (seen: boolean): Poll => ({ ...(seen ? { doing: 'asking' } : { doing: 'resting' }), failures: 0 });

/** What follows. `calm_ms` is the pause between an answer and the next request: a fast arena is no reason to be busy. */
export function after(poll: Poll, happened: Happened, calm_ms: number): Poll {
  const { doing, failures } = poll;
  if (doing === 'over' || happened === 'left') {
    return { doing: 'over', failures };
  }
  switch (happened) {
    case 'hidden':
      return { doing: 'resting', failures };
    case 'shown':
      return doing === 'resting' ? { doing: 'asking', failures } : poll;
    case 'due':
    case 'hurry':
      return doing === 'pausing' ? { doing: 'asking', failures } : poll;
  }
  if (doing !== 'asking') {
    // An answer to a request that was given up.
    return poll;
  }
  switch (happened) {
    case 'told':
      return { doing: 'pausing', ms: calm_ms, failures: 0 };
    case 'refused':
      return { doing: 'over', failures };
    case 'failed': {
      const ms = Math.min(PAUSE_MOST_MS, PAUSE_MS * 2 ** Math.min(failures, 10));
      return { doing: 'pausing', ms, failures: failures + 1 };
    }
  }
}
