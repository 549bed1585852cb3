// The messages between the page and its workers.
import type { BundleSummary, Finding, GameResult, Outcome, Verdict } from './verifier';

/** What a worker is asked for. */
export type Request =
  | { kind: 'open'; program: WebAssembly.Module; bundle: ArrayBuffer; modules: ArrayBuffer[] }
  | { kind: 'check' }
  | { kind: 'replay'; name: string }
  | { kind: 'verdict'; findings: Finding[]; outcomes: Outcome[]; commitment: string | null };

/** What a worker answers. */
export type Answer =
  | { kind: 'opened'; summary: BundleSummary }
  /** A game that is to be replayed; sent while the check runs. */
  | { kind: 'game'; name: string }
  | { kind: 'checked'; findings: Finding[] }
  | { kind: 'replayed'; result: GameResult }
  | { kind: 'verdict'; verdict: Verdict }
  /** The request failed. The worker opens no bundle, or its verifier is lost. */
  | { kind: 'failed'; reason: string };
