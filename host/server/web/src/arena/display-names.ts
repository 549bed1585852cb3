// Names for people in place of ids. Arenas name their players after the ids of engines, and their folders after the players
// and the date. Pure.
import type { ArenaPlayer, ArenaView } from '../api/arena';
import type { Engine } from '../api/types';
import { LEVEL_OPTION } from '../lib/opponents';

/** What the names are made from: the engines that the server has, and the text of a level. */
export interface Naming {
  engines: readonly Pick<Engine, 'id' | 'name'>[];
  atLevel: (name: string, level: number) => string;
}

/** How many players are in the title of an arena. */
const MAX_TITLE_PLAYERS = 3;

/** The name of an engine; of one that the server no longer has, its id. */
function engineName(id: string, { engines }: Naming): string {
  const name = engines.find((engine) => engine.id === id)?.name ?? '';
  return name.trim() === '' ? id : name;
}

/** The name of a player by its name in the arena alone: the id of its engine, perhaps with a number as in `alpha (2)`. */
export function namePlayer(name: string, naming: Naming): string {
  const [, id = name, number = ''] = /^(.*?)( \(\d+\))?$/.exec(name) ?? [];
  return engineName(id, naming) + number;
}

type NamedPlayer = Pick<ArenaPlayer, 'number' | 'name' | 'engine' | 'options'>;

/**
 * The names of an arena's players, by number: that of the engine with its level. Players who then have the same name keep the
 * number that the arena gave them. A player whose name is not that of its engine has a name already.
 */
export function namePlayers(players: readonly NamedPlayer[], naming: Naming): Map<number, string> {
  const names = players.map((player) => {
    const suffix = player.name.startsWith(player.engine) ? player.name.slice(player.engine.length) : null;
    if (suffix === null || !/^( \(\d+\))?$/.test(suffix)) {
      return { full: player.name, short: player.name };
    }
    const level = Number(player.options[LEVEL_OPTION] ?? 0);
    const name = engineName(player.engine, naming);
    const short = Number.isInteger(level) && level > 0 ? naming.atLevel(name, level) : name;
    return { full: short + suffix, short };
  });
  const isTwice = (short: string) => names.filter((other) => other.short === short).length > 1;
  return new Map(
    players.map(({ number, name }, index) => {
      const { full, short } = names[index] ?? { full: name, short: name };
      return [number, isTwice(short) ? full : short];
    }),
  );
}

/** The title of an arena: its name, or its players if the name was made from their ids and the date. */
export function arenaTitle(name: string, players: readonly string[], andMore: (names: string, more: number) => string) {
  if (!/-\d{8}-\d{6}(-\d+)?$/.test(name) || players.length === 0) {
    return name;
  }
  const shown = players.length <= MAX_TITLE_PLAYERS + 1 ? players.length : MAX_TITLE_PLAYERS;
  return andMore(players.slice(0, shown).join(' – '), players.length - shown);
}

/** The view with names for people. */
export function withDisplayNames(
  view: ArenaView,
  naming: Naming,
  andMore: (names: string, more: number) => string,
): ArenaView {
  const names = namePlayers(view.players, naming);
  const players = view.players.map((player) => ({ ...player, name: names.get(player.number) ?? player.name }));
  return {
    ...view,
    players,
    name: arenaTitle(
      view.name,
      players.map(({ name }) => name),
      andMore,
    ),
  };
}
