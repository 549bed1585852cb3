// The messages between a page and a worker that plays.
import type { Action, AnalysisQuery, BoutQuery, EngineFiles, PositionQuery, Report } from './player';

/** What the worker is asked for. */
export type Request =
  /** The program as a module, or as the bytes of one: a page may not be allowed to compile it. */
  | { kind: 'load'; program: WebAssembly.Module | Uint8Array; engine: EngineFiles }
  | { kind: 'position'; query: PositionQuery }
  | { kind: 'begin'; query: BoutQuery }
  | { kind: 'act'; action: Action }
  | { kind: 'run' }
  | { kind: 'record'; date: string }
  | { kind: 'analyse'; query: AnalysisQuery };

/** What the worker answers: reports while a request is worked on, then one answer. */
export type Answer =
  { kind: 'report'; report: Report } | { kind: 'answer'; value: unknown } | { kind: 'failed'; reason: string };
