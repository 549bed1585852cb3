// The words of the contract between server and client, version 1. Types only: nothing here runs.

/** A position with what the rules say of it. */
export interface Position {
  position: string;
  /** The seat whose turn it is. */
  to_move: number;
  side: 0 | 1;
  side_name: string;
  legal: string[];
  outcome: { winner: 0 | 1 | null; reason: string } | null;
  /** What else the rules of the game tell: forbidden points, check, counts. */
  facts: Record<string, unknown>;
}
