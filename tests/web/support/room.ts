// Rooms as tests need them: opened by the API where opening is not what is tested, and the words by
// which a person finds his way on the page of one. All names of controls that several tests use
// stand here; everything is found by role and name.
import { expect, type Locator, type Page } from '@playwright/test';
import type { Server } from './server';

/** One player of a room to be. */
export interface Seat {
  name: string;
  /** The chairs of the game; absent: the one of its own place. */
  seats?: number[];
  person?: object;
  engine?: { id: string; options?: Record<string, string> };
  budget?: string;
}

/** What a room is opened with, the seats in the order of the sides. */
export interface Opening {
  game?: string;
  variant: string;
  seats: Seat[];
  /** A position text to begin from; absent: the one of the rules. */
  start?: string;
  moves?: string[];
  settings?: { undo?: boolean; draw_offers?: boolean };
  hint?: { id: string; options: Record<string, string>; budget: string };
}

/** A room, and the paths by which its people come to it; the last is for anybody else. */
export interface Opened {
  id: string;
  paths: string[];
  watch: string;
}

/** Opens a room, as a program would. */
export async function openRoom(server: Server, opening: Opening): Promise<Opened> {
  const { game = 'gomoku', variant, seats, ...rest } = opening;
  const players = seats.map(({ name, seats, person, engine, budget = 'none' }, seat) => ({
    name,
    seats: seats ?? [seat],
    budget,
    person: engine ? null : (person ?? {}),
    engine: engine ? { options: {}, ...engine } : null,
  }));
  const answer = await fetch(`${server.address}/api/v1/rooms`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(server.token === undefined ? {} : { authorization: `Bearer ${server.token}` }),
    },
    body: JSON.stringify({ game, variant, players, ...rest }),
  });
  if (!answer.ok) throw new Error(`no room: ${answer.status} ${await answer.text()}`);
  const made = (await answer.json()) as { room: string; tickets: { ticket: string }[] };
  return {
    id: made.room,
    paths: made.tickets.map(({ ticket }) => `/room/${made.room}#${ticket}`),
    watch: `/room/${made.room}`,
  };
}

/** The page of a room, as somebody sees it. */
export class Table {
  constructor(readonly page: Page) {}

  get board(): Locator {
    return this.page.getByRole('grid');
  }

  /** A point of the board, whatever is on it. */
  point(name: string): Locator {
    return this.board.getByRole('gridcell', { name: new RegExp(`^${name}, `) });
  }

  /** That a stone of this colour, or nothing, is on a point. */
  async expectOn(name: string, what: 'black' | 'white' | 'empty'): Promise<void> {
    await expect(this.point(name)).toHaveAccessibleName(new RegExp(`^${name}, ${what}`));
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  async resign(): Promise<void> {
    await this.button('Resign').click();
    await this.page.getByRole('group', { name: 'Really resign?' }).getByRole('button', { name: 'yes' }).click();
  }

  get myMove(): Locator {
    return this.page.getByText('Your move', { exact: true });
  }

  /** Plays a stone when it is one's turn, and waits until the server has it. */
  async lay(point: string, color: 'black' | 'white'): Promise<void> {
    await expect(this.myMove).toBeVisible();
    await this.point(point).click();
    await this.expectOn(point, color);
  }

  /** All stones of a colour. */
  stones(color: 'black' | 'white'): Locator {
    return this.board.getByRole('gridcell', { name: new RegExp(`^[a-v][0-9]+, ${color}`) });
  }

  /** As `lay`, but on the next free point of the row if somebody was there first. */
  async layAnywhere(point: string, color: 'black' | 'white'): Promise<void> {
    await expect(this.myMove).toBeVisible();
    const row = point.slice(1);
    for (let column = point.charCodeAt(0); ; column += 1) {
      const free = this.board.getByRole('gridcell', {
        name: new RegExp(`^${String.fromCharCode(column)}${row}, empty`),
      });
      if ((await free.count()) > 0) return this.lay(String.fromCharCode(column) + row, color);
    }
  }
}
