// Rooms for tests: opened through the API, and used through their pages. Controls are found by role and name; the names
// that several tests use are here.
import { expect, type Locator, type Page } from '@playwright/test';
import type { Server } from './server';

/** A player of a new room. */
export interface SeatOptions {
  name: string;
  /** The player's seats; absent: the one with the player's index. */
  seats?: number[];
  person?: object;
  engine?: { id: string; options?: Record<string, string> };
  budget?: string;
}

/** A new room; its seats are in the order of the sides. */
export interface RoomOptions {
  game?: string;
  variant: string;
  seats: SeatOptions[];
  /** The start position; absent: the standard one. */
  start?: string;
  moves?: string[];
  settings?: { undo?: boolean; draw_offers?: boolean; grace_ms?: number; first_move_ms?: number };
  hint?: { id: string; options: Record<string, string>; budget: string };
}

/** An open room. */
export interface OpenedRoom {
  id: string;
  /** The paths of the players' links. */
  paths: string[];
  spectatorPath: string;
}

/** Opens a room through the API. */
export async function openRoom(server: Server, options: RoomOptions): Promise<OpenedRoom> {
  const { game = 'gomoku', variant, seats, ...rest } = options;
  const players = seats.map(({ name, seats, person, engine, budget = 'none' }, seat) => ({
    name,
    seats: seats ?? [seat],
    budget,
    person: engine ? null : (person ?? {}),
    engine: engine ? { options: {}, ...engine } : null,
  }));
  const response = await fetch(`${server.address}/api/v1/rooms`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(server.token === undefined ? {} : { authorization: `Bearer ${server.token}` }),
    },
    body: JSON.stringify({ game, variant, players, ...rest }),
  });
  if (!response.ok) {
    throw new Error(`cannot open a room: ${response.status} ${await response.text()}`);
  }
  const opened = (await response.json()) as { room: string; tickets: { ticket: string }[] };
  return {
    id: opened.room,
    paths: opened.tickets.map(({ ticket }) => `/room/${opened.room}#${ticket}`),
    spectatorPath: `/room/${opened.room}`,
  };
}

/** The page of a room in one browser. */
export class RoomPage {
  constructor(readonly page: Page) {}

  get board(): Locator {
    return this.page.getByRole('grid');
  }

  /** A point of the board, empty or not. */
  point(name: string): Locator {
    return this.board.getByRole('gridcell', { name: new RegExp(`^${name}, `) });
  }

  /** Expects a stone of a colour on a point, or none. */
  async expectOn(name: string, content: 'black' | 'white' | 'empty'): Promise<void> {
    await expect(this.point(name)).toHaveAccessibleName(new RegExp(`^${name}, ${content}`));
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  async resign(): Promise<void> {
    await this.button('Resign').click();
    await this.page.getByRole('group', { name: 'Really resign?' }).getByRole('button', { name: 'yes' }).click();
  }

  get yourMove(): Locator {
    return this.page.getByText('Your move', { exact: true });
  }

  /** Clicks the points of a move when it is the player's turn: earlier clicks are a premove. */
  async clickMove(...points: string[]): Promise<void> {
    await expect(this.yourMove).toBeVisible();
    for (const point of points) {
      await this.point(point).click();
    }
  }

  /** Places a stone when it is the player's turn, and waits until the server has accepted it. */
  async place(point: string, color: 'black' | 'white'): Promise<void> {
    await this.clickMove(point);
    await this.expectOn(point, color);
  }

  /** All stones of a colour. */
  stones(color: 'black' | 'white'): Locator {
    return this.board.getByRole('gridcell', { name: new RegExp(`^[a-v][0-9]+, ${color}`) });
  }

  /** Like `place`, but on the next free point of the row if the point is occupied. */
  async placeInRow(point: string, color: 'black' | 'white'): Promise<void> {
    await expect(this.yourMove).toBeVisible();
    const row = point.slice(1);
    for (let column = point.charCodeAt(0); ; column += 1) {
      const free = this.board.getByRole('gridcell', {
        name: new RegExp(`^${String.fromCharCode(column)}${row}, empty`),
      });
      if ((await free.count()) > 0) {
        return this.place(String.fromCharCode(column) + row, color);
      }
    }
  }
}
