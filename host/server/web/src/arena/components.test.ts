// The components of an arena's page: their texts and links; names never become markup.
import { flushSync, mount, unmount, type Component } from 'svelte';
import { afterEach, expect, test } from 'vitest';
import type { ArenaView, PairStrength } from '../api/arena';
import CrossTable from './CrossTable.svelte';
import MatchResult from './MatchResult.svelte';
import FaultTable from './FaultTable.svelte';
import { anna, bo, chance, tally, view } from './fixtures';
import RatingBars from './RatingBars.svelte';
import SeatTable from './SeatTable.svelte';
import StandingsTable from './StandingsTable.svelte';

const HOSTILE = '<img src=x onerror=alert(1)>';
let mounted: Record<string, unknown>[] = [];

afterEach(async () => {
  for (const component of mounted) {
    await unmount(component);
  }
  mounted = [];
  document.body.replaceChildren();
});

function render<P extends Record<string, unknown>>(component: Component<P>, props: P): HTMLElement {
  const element = document.createElement('div');
  document.body.append(element);
  mounted.push(mount(component, { target: element, props }));
  flushSync();
  return element;
}

const texts = (element: HTMLElement, selector: string) =>
  [...element.querySelectorAll(selector)].map((match) => (match.textContent ?? '').replace(/\s+/g, ' ').trim());

test('column heads sort the standings and announce the order', () => {
  const element = render(StandingsTable, { view });
  const names = () => texts(element, 'tbody th');
  const sortStates = () =>
    [...element.querySelectorAll('th[aria-sort]')].map(
      (th) => `${th.textContent?.trim()} ${th.getAttribute('aria-sort')}`,
    );
  const click = (head: string) => {
    const buttons = [...element.querySelectorAll('thead button')];
    buttons
      .find((button) => button.textContent?.includes(head))
      ?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    flushSync();
  };
  expect([names(), sortStates()]).toEqual([['Bo', 'Anna', 'Chance'], ['Place▲ ascending']]);
  click('Faults');
  expect([names(), sortStates()]).toEqual([['Chance', 'Bo', 'Anna'], ['Faults▼ descending']]);
  click('Faults');
  expect([names(), sortStates()]).toEqual([['Bo', 'Anna', 'Chance'], ['Faults▲ ascending']]);
});

test('a row of the standings', () => {
  const element = render(StandingsTable, { view });
  const heads = texts(element, 'thead th');
  const row = (nth: number) => texts(element.querySelectorAll('tbody tr')[nth] as HTMLElement, 'th, td');
  const cell = (nth: number, head: string) => row(nth)[heads.findIndex((text) => text.startsWith(head))];
  expect([
    cell(0, 'Points'),
    cell(0, '+ = −'),
    cell(0, 'Rating'),
    cell(0, 'Time per move'),
    cell(0, 'CPU per move'),
  ]).toEqual(['3.5', '+3 =1 −0', '+120 +30 to +∞', '5.00 ms', '2.00 ms']);
  expect([cell(2, 'Rating'), cell(2, 'Faults'), cell(2, 'Time per move'), cell(2, 'CPU per move')]).toEqual([
    'below all rated players',
    '3 timeout 2, crash 1',
    '–',
    '–',
  ]);
});

test('cells of the cross table link to the games of two players', () => {
  const element = render(CrossTable, { id: 'a/b', view });
  const links = [...element.querySelectorAll('a')].map((link) => [
    link.getAttribute('href'),
    link.textContent?.replace(/\s+/g, ' ').trim(),
  ]);
  expect(links).toEqual([
    ['/arenas/a%2Fb/games?player=1&opponent=0', 'Bo against Anna: 1.5 +1 =1 −0'],
    ['/arenas/a%2Fb/games?player=1&opponent=2', 'Bo against Chance: 2 +2 =0 −0'],
    ['/arenas/a%2Fb/games?player=0&opponent=1', 'Anna against Bo: 0.5 +0 =1 −1'],
    ['/arenas/a%2Fb/games?player=2&opponent=1', 'Chance against Bo: 0 +0 =0 −2'],
  ]);
});

test('the tab key reaches one cell of the cross table, arrow keys the others', () => {
  const element = render(CrossTable, { id: 'a', view });
  const tabStops = () => [...element.querySelectorAll('a[tabindex="0"]')].map((link) => link.getAttribute('href'));
  const press = (key: string) => {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    flushSync();
  };
  expect(tabStops()).toEqual(['/arenas/a/games?player=1&opponent=0']);
  element.querySelector<HTMLElement>('a[tabindex="0"]')?.focus();
  press('ArrowRight');
  expect([document.activeElement?.getAttribute('href'), tabStops()]).toEqual([
    '/arenas/a/games?player=1&opponent=2',
    ['/arenas/a/games?player=1&opponent=2'],
  ]);
  press('ArrowRight');
  expect(tabStops()).toEqual(['/arenas/a/games?player=1&opponent=2']);
});

test('the totals are those of each seat', () => {
  const element = render(SeatTable, { view });
  expect(texts(element, 'tfoot td')).toEqual(['50.0 % +3 =0 −3', '50.0 % +2 =2 −2']);
});

const strength: PairStrength = {
  score: { value: 0.6, low: 0.5, high: 0.7 },
  pairs: [0, 1, 2, 3, 4],
  elo: 70.4,
  elo_low: 1,
  elo_high: null,
  superiority: 0.975,
  normalized: null,
  sprt: {
    model: 'logistic',
    elo0: 0,
    elo1: 10,
    alpha: 0.05,
    beta: 0.05,
    llr: 3.1,
    lower: -2.944,
    upper: 2.944,
    verdict: 'upper',
  },
};

test.each<[NonNullable<PairStrength['sprt']>['verdict'], string]>([
  ['open', 'Undecided.'],
  ['lower', 'Decided: Anna is at most 0.0 Elo stronger.'],
  ['upper', 'Decided: Anna is at least +10.0 Elo stronger.'],
])('the sequential test in words: %s', (verdict, expected) => {
  const element = render(MatchResult, {
    strength: { ...strength, sprt: { ...strength.sprt!, verdict } },
    players: [anna, bo],
  });
  expect(texts(element, 'strong')).toEqual([expected]);
  expect(element.textContent).toContain('3.10, between −2.94 and 2.94');
});

test('without a test, and with all points on one side', () => {
  const element = render(MatchResult, { strength: { ...strength, elo: null, sprt: null }, players: [anna, bo] });
  expect(texts(element, 'dd')).toEqual(['60.0 %50.0 % to 70.0 %', 'unbounded+1.0 to +∞', '97.5 %']);
  expect(element.querySelector('svg')).toBeNull();
});

test('rated players have bars with a text summary', () => {
  const element = render(RatingBars, { view });
  expect(texts(element, '.name')).toEqual(['Bo', 'Anna']);
  expect(element.querySelector('[role=img]')?.getAttribute('aria-label')).toBe(
    'Ratings with their intervals: Bo +120, +30 to +∞; Anna 0, −50 to +50.',
  );
  expect(render(RatingBars, { view: { ...view, players: [chance], ranking: [2] } }).textContent).toContain(
    'No ratings yet.',
  );
});

test('names and sentences of engines are shown as text', () => {
  const hostile: ArenaView = {
    ...view,
    players: [{ ...anna, name: HOSTILE }, bo, chance],
    match_statistics: strength,
    faults: [{ player: 0, code: HOSTILE, games: 1, first: 'pair-000001-1', sentence: HOSTILE, at_ply: 3 }],
    head_to_head: [
      {
        players: [0, 1],
        first_seat: tally(1, 0, 0),
        second_seat: tally(0, 0, 0),
        pairs: [0, 0, 0, 0, 0],
        superiority: null,
      },
    ],
  };
  const rendered = [
    render(StandingsTable, { view: hostile }),
    render(CrossTable, { id: 'a', view: hostile }),
    render(SeatTable, { view: hostile }),
    render(RatingBars, { view: hostile }),
    render(FaultTable, { id: 'a', view: hostile }),
    render(MatchResult, { strength, players: hostile.players }),
  ];
  for (const element of rendered) {
    expect(element.textContent).toContain(HOSTILE);
    expect(element.querySelector('img')).toBeNull();
  }
});
