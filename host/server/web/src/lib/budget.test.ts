// Budgets: parsing, errors, formatting.
import { describe, expect, test } from 'vitest';
import { BudgetError, parseBudget, BUDGET_PRESETS, formatBudget } from './budget';
import { en } from '../text/en';
import { zh } from '../text/zh';

const NONE = { unit: null, perMove: null, game: null, depth: null, nodes: null };

describe('parses', () => {
  test.each([
    ['none', NONE],
    ['5s/move', { ...NONE, unit: 'wall', perMove: 5_000_000 }],
    ['1.5s/move', { ...NONE, unit: 'wall', perMove: 1_500_000 }],
    ['3m+2s', { ...NONE, unit: 'wall', game: { base: 180_000_000, increment: 2_000_000, moves: null } }],
    ['40/5m', { ...NONE, unit: 'wall', game: { base: 300_000_000, increment: 0, moves: 40 } }],
    ['cpu:5s/move', { ...NONE, unit: 'cpu', perMove: 5_000_000 }],
    ['fuel:5e10+1e8', { ...NONE, unit: 'fuel', game: { base: 5e10, increment: 1e8, moves: null } }],
    ['5s/move, depth:8', { ...NONE, unit: 'wall', perMove: 5_000_000, depth: 8 }],
    ['nodes:1e6', { ...NONE, nodes: 1_000_000 }],
  ])('%s', (text, expected) => {
    expect(parseBudget(text)).toEqual(expected);
  });
});

describe('refuses', () => {
  test.each([
    ['', 'empty'],
    ['5s/move,', 'empty'],
    ['none,5s/move', 'none-alone'],
    ['5/move', 'unit'],
    ['5x/move', 'number'],
    ['0s/move', 'zero'],
    ['5s/move,6s/move', 'twice'],
    ['depth:8,depth:9', 'twice'],
    ['cpu:5s/move,3m', 'mixed'],
    ['wall:5s', 'word'],
    ['depth:x', 'number'],
    ['depth:1.5', 'number'],
    ['depth:5e9', 'large'],
    ['fuel:1e19/move', 'large'],
    ['x/5m', 'number'],
  ])('`%s`: %s', (text, kind) => {
    let thrown: unknown = null;
    try {
      parseBudget(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(BudgetError);
    expect((thrown as BudgetError).kind).toBe(kind);
  });
});

describe('formats', () => {
  test.each([
    ['none', 'no limit', '不限时'],
    ['5s/move', '5 s/move', '每步 5 秒'],
    ['3m+2s', '3 min + 2 s', '3 分 + 每步 2 秒'],
    ['40/5m', '5 min for 40 moves', '40 步 5 分'],
    ['fuel:1e9/move', '1 G fuel/move', '每步 1 G 燃料'],
    ['fuel:2.5e5/move', '250 k fuel/move', '每步 250 k 燃料'],
    ['fuel:999/move', '999 fuel/move', '每步 999 燃料'],
    ['cpu:500ms/move', 'CPU 500 ms/move', 'CPU 每步 500 毫秒'],
    ['depth:8', 'depth 8', '深度 8'],
    ['what', 'what', 'what'],
  ])('%s', (text, english, chinese) => {
    expect([formatBudget(text, en.budget), formatBudget(text, zh.budget)]).toEqual([english, chinese]);
  });

  test('every preset is a budget', () => {
    expect(BUDGET_PRESETS.filter((preset) => formatBudget(preset, en.budget) === preset)).toEqual([]);
  });
});
