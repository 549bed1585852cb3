// How arenas and their players are named in the chosen language, with the engines that the server has.
import type { ArenaView } from '../api/arena';
import { server } from '../lib/server.svelte';
import { i18n } from '../text/i18n.svelte';
import { arenaTitle, namePlayer, withDisplayNames, type Naming } from './display-names';

const naming = (): Naming => ({ engines: server.engines.engines, atLevel: i18n.t.home.engineAtLevel });
const andMore = (names: string, more: number) => i18n.t.arenas.playersAndMore(names, more);

/** The view of an arena with names for people. */
export const nameView = (view: ArenaView): ArenaView => withDisplayNames(view, naming(), andMore);

/** The name of a player by its name in the arena. */
export const displayName = (player: string): string => namePlayer(player, naming());

/** The title of an arena by its name and those of its players. */
export const displayTitle = (arena: string, players: readonly string[]): string =>
  arenaTitle(arena, players.map(displayName), andMore);
