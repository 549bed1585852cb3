// The public screens, for checks that apply to all of them.
import { expect, type Page } from '@playwright/test';
import { openRoom, RoomPage } from './room';
import type { Server } from './server';

/** A screen, and how to open it. */
export interface Screen {
  name: string;
  open: (page: Page) => Promise<void>;
}

/** The screens of a server with several rooms. */
export async function listScreens(server: Server): Promise<Screen[]> {
  const seats = [{ name: 'Anna' }, { name: 'Bo' }];
  const gomoku = await openRoom(server, {
    variant: 'renju',
    moves: ['h8', 'h9', 'i9', 'g7', 'i7', 'i8', 'g9', 'j6'],
    seats,
  });
  const others = [
    { game: 'reversi', variant: 'standard', moves: ['d3', 'c3', 'c4'], seats },
    { game: 'xiangqi', variant: 'computer', moves: ['h2e2', 'h9g7'], seats },
    {
      game: 'bridge',
      variant: 'double-dummy',
      start: 'N:KQ86.T76.A42.AK7 J5.J985.J963.643 932..KQT75.QT952 AT74.AKQ432.8.J8 S W -',
      seats: seats.map((seat, side) => ({ ...seat, seats: [side, side + 2] })),
    },
  ];
  const rooms = await Promise.all(others.map((other) => openRoom(server, other)));
  const page = (name: string, path: string): Screen => ({
    name,
    open: async (page) => {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    },
  });
  const room = (name: string, path: string): Screen => ({
    name,
    open: async (page) => {
      await page.goto(path);
      await expect(new RoomPage(page).board).toBeVisible();
    },
  });
  return [
    page('lobby', '/'),
    {
      name: 'new game',
      open: async (page) => {
        await page.goto('/');
        await page
          .getByRole('button', { name: /^(New game|新对局|Neue Partie)$/ })
          .first()
          .click();
        await expect(page.getByRole('button', { name: /^(Start game|开始对局|Partie beginnen)$/ })).toBeVisible();
      },
    },
    room('gomoku', gomoku.paths[0]!),
    room('spectator', gomoku.spectatorPath),
    ...others.map(({ game }, nth) => room(game, rooms[nth]!.paths[0]!)),
    page('engines', '/engines'),
    page('engine', '/engines/random-mover'),
    page('games', '/games'),
    page('analysis', '/analysis'),
    {
      name: 'study',
      open: async (page) => {
        await page.goto('/analysis?game=xiangqi');
        await page.getByRole('button', { name: /^(Open the board|打开棋盘|Brett öffnen)$/ }).click();
        await expect(new RoomPage(page).board).toBeVisible();
      },
    },
    page('arenas', '/arenas'),
    page('new arena', '/arenas/new'),
    page('operator', '/operator'),
    page('nowhere', '/nowhere'),
  ];
}
