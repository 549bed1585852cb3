// Variant texts, such as `freestyle-19` or `renju-contest:fifths=6`. Pure.
import type { Game, Variant } from '../api/types';

/** The parts of a variant text. */
export interface VariantParts {
  /** The id of a variant of the game. */
  id: string;
  /** The board size; null: the variant has a fixed one. */
  size: number | null;
  /** The value of the variant's setting; null: it has none. */
  setting: number | null;
}

/** The text of a variant with a board size and a setting, which are left out where they are the defaults. */
export function formatVariant(
  variant: Variant | undefined,
  id: string,
  size: number | null,
  setting: number | null,
): string {
  const withSize = variant?.size == null || size === null || size === variant.size.default ? id : `${id}-${size}`;
  const definition = variant?.setting ?? null;
  return definition === null || setting === null || setting === definition.default
    ? withSize
    : `${withSize}:${definition.name}=${setting}`;
}

/** The variant of a text, without size and setting. */
export function variantOf(game: Game, text: string): Variant | undefined {
  const { id } = parseVariant(game, text);
  return game.variants.find((variant) => variant.id === id);
}

/** The parts of a variant text. For an unknown text: the game's first variant with its defaults. */
export function parseVariant(game: Game, text: string): VariantParts {
  const [name = '', setting] = text.split(/:[^=]*=/);
  const partsOf = (variant: Variant, size: number | undefined): VariantParts => ({
    id: variant.id,
    size: size ?? variant.size?.default ?? null,
    setting: variant.setting == null ? null : setting === undefined ? variant.setting.default : Number(setting),
  });
  const exact = game.variants.find(({ id }) => id === name);
  if (exact !== undefined) {
    return partsOf(exact, undefined);
  }
  const match = /^(.*)-(\d+)$/.exec(name);
  const sized = game.variants.find(({ id, size }) => id === match?.[1] && size !== null);
  if (sized !== undefined && match !== null) {
    return partsOf(sized, Number(match[2]));
  }
  const first = game.variants[0];
  return first === undefined ? { id: text, size: null, setting: null } : partsOf(first, undefined);
}
