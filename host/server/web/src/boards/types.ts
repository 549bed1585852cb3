// The interface between the client's shell and its games: what the shell gets of a game, and what a board is given
// and reports. Knows no game and draws nothing.
import type { Component } from 'svelte';
import type { Position, Side, SolvedPosition } from '../api/types';
import type { BoardPiece } from './generic/types';
import type { Language, LocalizedText } from '../text/language';

/** A move that the board points out: a hint, or the choice of an engine. */
export interface MoveHint {
  move: string;
  /** A few characters to show at the move, such as a score. */
  label?: string;
}

/** The exact value of each legal move for the side to move; `value` is that of the best moves. */
export type MoveValues = Pick<SolvedPosition, 'side' | 'value' | 'moves'>;

/** Appearance options by name, such as `pieces: 'letters'`. A board ignores names that it does not know. */
export type Appearance = Readonly<Record<string, string>>;

/** Everything that a board is given. It keeps no state of the game beyond these. */
export interface BoardProps {
  /** The variant's text, such as `renju` or `freestyle-19`. */
  variant: string;
  position: Position;
  /** The move that led to the position; null at the start. */
  lastMove: string | null;
  /** The moves that the viewer may play; empty for spectators and when it is the opponent's turn. */
  legal: string[];
  hints: MoveHint[];
  /** Exact values of all legal moves, also where the viewer may play none; null or absent: unknown. */
  values?: MoveValues | null;
  /** The moves from the start to the position, where known: for move numbers. */
  moves?: readonly string[];
  /** The viewer's seats; empty for a spectator. */
  mySeats: number[];
  flipped: boolean;
  language: Language;
  appearance: Appearance;
  /** Called with one of `legal` when the viewer plays it. */
  onmove: (move: string) => void;
  /**
   * Called when the viewer tries to play what is not one of `legal`: with the text of the move, or null where the click means
   * no move.
   */
  onillegal?: (move: string | null) => void;
  /** If set, a position is being edited: every cell can be selected, and this is called with its id; no move is played. */
  onplace?: (cell: string) => void;
}

/** Describes a move for screen readers. `position` is the position before the move; null: unknown. */
export type DescribeMove = (
  move: string,
  position: Position | null,
  language: Language,
  appearance?: Appearance,
) => string;

/**
 * The short texts of moves played one after another, as lists and lines show them. `position` is the one before the first
 * move; null: unknown.
 */
export type NameMoves = (
  moves: readonly string[],
  position: Position | null,
  language: Language,
  appearance: Appearance,
) => string[];

/** How moves are named, and found by what a person types. */
export interface MoveNames {
  nameMoves: NameMoves;
  /** The legal move that a text means in any notation of the game; null: none. */
  readMove: (text: string, legal: readonly string[], position: Position) => string | null;
}

/** A key for each piece on the board that can be captured: its colour, a space, and what else tells it apart. */
export type PieceKeys = (position: Position) => string[];

/** What the position editor can put on a cell; the last tool of every game empties it. */
export interface EditorTool {
  id: string;
  name: LocalizedText;
}

/** How positions of a game are edited. Every function takes a position text and returns the new one. */
export interface PositionRules {
  tools: EditorTool[];
  /** The sides, the first to move first. */
  sides: [EditorTool, EditorTool];
  /** Puts a tool's piece on a cell; an unknown cell or tool changes nothing. */
  put: (text: string, cell: string, tool: string) => string;
  setSideToMove: (text: string, side: string) => string;
  sideToMove: (text: string) => string;
  /** The empty board of the same size. */
  clear: (text: string) => string;
}

/** How a game's scores are shown and judged. */
export interface ScoreScale {
  /** How many of the engine's score units make one displayed unit: 100 where engines count hundredths. */
  unit: number;
  /** The value, in displayed units, of a position that is equal for both sides, where values are no differences; absent: 0. */
  even?: number;
  /** The smallest loss, in the engine's score unit, that counts as an inaccuracy, a mistake, a blunder. */
  losses: [inaccuracy: number, mistake: number, blunder: number];
  /**
   * The value to the first side of a score of `side`, where it is not simply the negated score of the other side.
   * Computed from the position's facts; null where these do not suffice.
   */
  valueForFirstSide?: (score: number, side: Side, facts: Record<string, unknown>) => number | null;
}

/** A choice in the settings dialog for the appearance of one board. The first value is the default. */
export interface AppearanceOption {
  /** The name under which the board finds it in `appearance`. */
  name: string;
  label: LocalizedText;
  values: { value: string; label: LocalizedText }[];
}

/** Everything that the client's shell needs of one game. Parts with code are loaded on first use. */
export interface GameDefinition {
  loadBoard: () => Promise<Component<BoardProps>>;
  loadDescribeMove: () => Promise<DescribeMove>;
  /** Absent: moves are shown as the server writes them. */
  loadMoveNames?: () => Promise<MoveNames>;
  /** The cells of a move, in the order of the clicks; absent: the move is the name of its cell. */
  moveCells?: (move: string) => readonly string[];
  /** Absent: the game has no captures. */
  loadPieceKeys?: () => Promise<PieceKeys>;
  /** Draws the piece of a key. */
  loadPieceIcon?: () => Promise<Component<{ id: string }>>;
  /** Absent: positions of the game cannot be set up on the board. */
  loadPositionRules?: () => Promise<PositionRules>;
  scoreScale: ScoreScale;
  /** Moves of the first variant that lead to a characteristic position, for small pictures; absent: its start. */
  sampleMoves?: readonly string[];
  /** The cards of a small picture, where a board would be too small to read; absent: the board is shown. */
  sampleCards?: readonly Pick<BoardPiece, 'text' | 'color'>[];
  /** Whether openings of the game have names. */
  hasOpeningNames?: boolean;
  /** Whether each side has its own edge of the board: the board then turns so that the viewer's edge is at the bottom. */
  sidesFaceEachOther: boolean;
  /** What the values of positions are, for the side with this name; absent: a general text. */
  valuesLabel?: (t: Parameters<LocalizedText>[0], side: string) => string;
  /** The label of the button that shows exact values; absent: a general one. */
  exactValuesLabel?: LocalizedText;
  appearanceOptions?: AppearanceOption[];
}
