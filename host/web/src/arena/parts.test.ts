// The parts of an arena's page, drawn: what stands where, where it leads, and that names are never markup.
import { flushSync, mount, unmount, type Component } from 'svelte';
import { afterEach, expect, test } from 'vitest';
import type { ArenaView, Duel as Told } from '../api/arena';
import Cross from './Cross.svelte';
import Duel from './Duel.svelte';
import Faults from './Faults.svelte';
import { anna, bo, chance, tally, view } from './fixture';
import RatingBars from './RatingBars.svelte';
import Seats from './Seats.svelte';
import Standings from './Standings.svelte';

const HOSTILE = '<img src=x onerror=alert(1)>';
let drawn: Record<string, unknown>[] = [];

afterEach(async () => {
  for (const part of drawn) {
    await unmount(part);
  }
  drawn = [];
  document.body.replaceChildren();
});

function draw<P extends Record<string, unknown>>(part: Component<P>, props: P): HTMLElement {
  const element = document.createElement('div');
  document.body.append(element);
  drawn.push(mount(part, { target: element, props }));
  flushSync();
  return element;
}

const texts = (element: HTMLElement, selector: string) =>
  [...element.querySelectorAll(selector)].map((it) => (it.textContent ?? '').replace(/\s+/g, ' ').trim());

test('heads of the standings sort them and say so', () => {
  const element = draw(Standings, { view });
  const names = () => texts(element, 'tbody th');
  const sorts = () => [...element.querySelectorAll('th[aria-sort]')].map((th) => `${th.textContent?.trim()} ${th.getAttribute('aria-sort')}`);
  const press = (head: string) => {
    const buttons = [...element.querySelectorAll('thead button')];
    buttons.find((button) => button.textContent?.includes(head))?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    flushSync();
  };
  expect([names(), sorts()]).toEqual([['Bo', 'Anna', 'Chance'], ['Place▲ ascending']]);
  press('Faults');
  expect([names(), sorts()]).toEqual([['Chance', 'Bo', 'Anna'], ['Faults▼ descending']]);
  press('Faults');
  expect([names(), sorts()]).toEqual([['Bo', 'Anna', 'Chance'], ['Faults▲ ascending']]);
});

test('a row of the standings', () => {
  const element = draw(Standings, { view });
  const heads = texts(element, 'thead th');
  const row = (nth: number) => texts(element.querySelectorAll('tbody tr')[nth] as HTMLElement, 'th, td');
  const cell = (nth: number, head: string) => row(nth)[heads.findIndex((text) => text.startsWith(head))];
  expect([cell(0, 'Points'), cell(0, '+ = −'), cell(0, 'Rating'), cell(0, 'Time a move'), cell(0, 'CPU a move')]).toEqual([
    '3.5', '+3 =1 −0', '+120 +30 to +∞', '5.00 ms', '2.00 ms',
  ]);
  expect([cell(2, 'Rating'), cell(2, 'Faults'), cell(2, 'Time a move'), cell(2, 'CPU a move')]).toEqual([
    'below all who are rated', '3 timeout 2, crash 1', '–', '–',
  ]);
});

test('cells of the square lead to the games of the two', () => {
  const element = draw(Cross, { id: 'a/b', view });
  const links = [...element.querySelectorAll('a')].map((link) => [link.getAttribute('href'), link.textContent?.replace(/\s+/g, ' ').trim()]);
  expect(links).toEqual([
    ['/arenas/a%2Fb/games?player=1&opponent=0', 'Bo against Anna: 1.5 +1 =1 −0'],
    ['/arenas/a%2Fb/games?player=1&opponent=2', 'Bo against Chance: 2 +2 =0 −0'],
    ['/arenas/a%2Fb/games?player=0&opponent=1', 'Anna against Bo: 0.5 +0 =1 −1'],
    ['/arenas/a%2Fb/games?player=2&opponent=1', 'Chance against Bo: 0 +0 =0 −2'],
  ]);
});

test('the tab key reaches one cell of the square, arrows the others', () => {
  const element = draw(Cross, { id: 'a', view });
  const stops = () => [...element.querySelectorAll('a[tabindex="0"]')].map((link) => link.getAttribute('href'));
  const press = (key: string) => {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    flushSync();
  };
  expect(stops()).toEqual(['/arenas/a/games?player=1&opponent=0']);
  element.querySelector<HTMLElement>('a[tabindex="0"]')?.focus();
  press('ArrowRight');
  expect([document.activeElement?.getAttribute('href'), stops()]).toEqual([
    '/arenas/a/games?player=1&opponent=2',
    ['/arenas/a/games?player=1&opponent=2'],
  ]);
  press('ArrowRight');
  expect(stops()).toEqual(['/arenas/a/games?player=1&opponent=2']);
});

test('seats add up to the games as the first seat sees them', () => {
  const element = draw(Seats, { view });
  expect(texts(element, 'tfoot td')).toEqual(['50.0 % +3 =0 −3', '50.0 % +3 =0 −3']);
});

const duel: Told = {
  score: { value: 0.6, low: 0.5, high: 0.7 },
  pairs: [0, 1, 2, 3, 4],
  elo: 70.4,
  elo_low: 1,
  elo_high: null,
  superiority: 0.975,
  normalized: null,
  sprt: { model: 'logistic', elo0: 0, elo1: 10, alpha: 0.05, beta: 0.05, llr: 3.1, lower: -2.944, upper: 2.944, verdict: 'upper' },
};

test.each<[NonNullable<Told['sprt']>['verdict'], string]>([
  ['open', 'Not decided yet.'],
  ['lower', 'Decided: Anna is no more than 0.0 Elo stronger.'],
  ['upper', 'Decided: Anna is at least +10.0 Elo stronger.'],
])('what the test says is said in words: %s', (verdict, expected) => {
  const element = draw(Duel, { duel: { ...duel, sprt: { ...duel.sprt!, verdict } }, players: [anna, bo] });
  expect(texts(element, 'strong')).toEqual([expected]);
  expect(element.textContent).toContain('3.10, between −2.94 and 2.94');
});

test('where there is no test, and all points went one way', () => {
  const element = draw(Duel, { duel: { ...duel, elo: null, sprt: null }, players: [anna, bo] });
  expect(texts(element, 'dd')).toEqual(['60.0 %50.0 % to 70.0 %', 'not bounded+1.0 to +∞', '97.5 %']);
  expect(element.querySelector('svg')).toBeNull();
});

test('bars are for those who have a rating, and are said', () => {
  const element = draw(RatingBars, { view });
  expect(texts(element, '.name')).toEqual(['Bo', 'Anna']);
  expect(element.querySelector('[role=img]')?.getAttribute('aria-label')).toBe(
    'Ratings with their intervals: Bo +120, +30 to +∞; Anna 0, −50 to +50.',
  );
  expect(draw(RatingBars, { view: { ...view, players: [chance], ranking: [2] } }).textContent).toContain('Nobody has a rating yet.');
});

test('names and sentences from engines are texts', () => {
  const hostile: ArenaView = {
    ...view,
    players: [{ ...anna, name: HOSTILE }, bo, chance],
    duel,
    faults: [{ player: 0, code: HOSTILE, games: 1, first: 'pair-000001-1', sentence: HOSTILE, at_ply: 3 }],
    meetings: [{ players: [0, 1], first_seat: tally(1, 0, 0), second_seat: tally(0, 0, 0), pairs: [0, 0, 0, 0, 0], superiority: null }],
  };
  const parts = [
    draw(Standings, { view: hostile }),
    draw(Cross, { id: 'a', view: hostile }),
    draw(Seats, { view: hostile }),
    draw(RatingBars, { view: hostile }),
    draw(Faults, { id: 'a', view: hostile }),
    draw(Duel, { duel, players: hostile.players }),
  ];
  for (const part of parts) {
    expect(part.textContent).toContain(HOSTILE);
    expect(part.querySelector('img')).toBeNull();
  }
});
