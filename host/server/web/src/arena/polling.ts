// The schedule of long polling: a request at once, a pause after each response, growing pauses after failures, none while
// the page is hidden. A pure state machine; `long-poll.svelte.ts` executes it.

export type PollState = (
  | { activity: 'requesting' }
  | { activity: 'pausing'; ms: number }
  /** Suspended until the page is visible. */
  | { activity: 'suspended' }
  | { activity: 'stopped' }
) & {
  /** The number of consecutive failures. */
  failures: number;
};

export type PollEvent =
  /** A response, with or without a new state. */
  | 'response'
  /** No response, or an error that may be temporary. */
  | 'failure'
  /** A permanent error: the resource does not exist or is forbidden. */
  | 'refusal'
  | 'pause-ended'
  /** The network is back. */
  | 'retry'
  | 'hidden'
  | 'shown'
  | 'left';

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

export function initialState(isVisible: boolean): PollState {
  return { activity: isVisible ? 'requesting' : 'suspended', failures: 0 };
}

/** The state after an event. `intervalMs` is the pause between a response and the next request. */
export function nextState(state: PollState, event: PollEvent, intervalMs: number): PollState {
  const { activity, failures } = state;
  if (activity === 'stopped' || event === 'left') {
    return { activity: 'stopped', failures };
  }
  switch (event) {
    case 'hidden':
      return { activity: 'suspended', failures };
    case 'shown':
      return activity === 'suspended' ? { activity: 'requesting', failures } : state;
    case 'pause-ended':
    case 'retry':
      return activity === 'pausing' ? { activity: 'requesting', failures } : state;
  }
  if (activity !== 'requesting') {
    // The response to an aborted request.
    return state;
  }
  switch (event) {
    case 'response':
      return { activity: 'pausing', ms: intervalMs, failures: 0 };
    case 'refusal':
      return { activity: 'stopped', failures };
    case 'failure': {
      const ms = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));
      return { activity: 'pausing', ms, failures: failures + 1 };
    }
  }
}
