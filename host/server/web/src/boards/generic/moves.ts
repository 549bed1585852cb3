// What clicks on the places of a board mean: which moves are possible after the places selected so far. Pure.
import type { PlacedMove } from './types';

/** The effect of a click: a move is played, or these places are selected now. */
export type ClickResult = { move: string } | { selected: string[] };

const placesOf = (entry: PlacedMove): string[] => entry.places ?? [];

/** The entries whose places begin with the selected ones. */
export function entriesAfter(entries: readonly PlacedMove[], selected: readonly string[]): PlacedMove[] {
  return entries.filter((entry) => {
    const places = placesOf(entry);
    return places.length > 0 && selected.every((place, index) => places[index] === place);
  });
}

/** The places that a click may add to the selected ones. */
export function nextPlaces(entries: readonly PlacedMove[], selected: readonly string[]): Set<string> {
  return new Set(entriesAfter(entries, selected).flatMap((entry) => placesOf(entry)[selected.length] ?? []));
}

/** One entry for each move that the selected places mean completely. */
export function completeMoves(entries: readonly PlacedMove[], selected: readonly string[]): PlacedMove[] {
  const complete = entriesAfter(entries, selected).filter((entry) => placesOf(entry).length === selected.length);
  return complete.filter((entry, index) => complete.findIndex(({ move }) => move === entry.move) === index);
}

/**
 * The effect of a click on a place after others. It plays a move if exactly one is meant. A click on the place that was
 * selected last takes it back, and a click elsewhere begins again.
 */
export function clickOn(entries: readonly PlacedMove[], selected: readonly string[], place: string): ClickResult {
  if (!nextPlaces(entries, selected).has(place)) {
    if (selected.length === 0) {
      return { selected: [] };
    }
    return selected.at(-1) === place ? { selected: selected.slice(0, -1) } : clickOn(entries, [], place);
  }
  const now = [...selected, place];
  const complete = completeMoves(entries, now);
  const [only] = complete;
  return only && complete.length === 1 && nextPlaces(entries, now).size === 0 ? { move: only.move } : { selected: now };
}

/** The moves to choose from by buttons: those that the selected places mean, if it is not one alone. */
export function choicesAfter(entries: readonly PlacedMove[], selected: readonly string[]): PlacedMove[] {
  return selected.length === 0 ? [] : completeMoves(entries, selected);
}

/** The moves that are buttons always: those without places, and legal moves that the board does not list. */
export function buttonMoves(
  entries: readonly PlacedMove[],
  legal: readonly string[],
  maxUnlisted: number,
): PlacedMove[] {
  const listed = new Set(entries.map(({ move }) => move));
  const unlisted = legal.filter((move) => !listed.has(move)).map((move) => ({ move }));
  const buttons = entries.filter((entry) => placesOf(entry).length === 0);
  return unlisted.length <= maxUnlisted ? [...buttons, ...unlisted] : buttons;
}
