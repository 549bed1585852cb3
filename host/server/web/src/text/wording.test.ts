// Words that were agreed on, each where it is used.
import { expect, test } from 'vitest';
import { formatBudget } from '../lib/budget';
import { textsOf } from '.';
import { translate } from './messages';
import { en as english, type Texts } from './en';

const [en, zh] = [textsOf('en'), textsOf('zh')];
const late = (t: Texts) => translate('Alice (black) loses on time: it took 2s and was allowed 1s', null, t);

test.each<[(t: Texts) => string, string, string?]>([
  [(t) => t.lobby.spectators(0), '0 watching'],
  [(t) => t.room.spectators(0), '0 watching'],
  [(t) => t.room.typeMove, 'Type a move'],
  [(t) => t.lobby.noRooms, 'No games right now.'],
  [(t) => t.lobby.lead, 'Play a friend, a stranger or an engine.'],
  [(t) => t.newGame.playerKinds.here, 'You', '本机玩家'],
  [(t) => t.newGame.playerKinds.link, 'Friend (link)', '好友（链接）'],
  [(t) => t.newGame.playerKinds.engine, 'Engine', '引擎'],
  [(t) => t.newGame.ponders, 'Ponder'],
  [(t) => t.newGame.agreements, 'Options'],
  [(t) => t.newGame.startPosition, 'Starting position (blank: standard)'],
  [(t) => t.newGame.swapSides, 'Swap sides'],
  [(t) => t.room.flip, 'Flip board'],
  [(t) => t.room.abort, 'Abort game', '中止对局'],
  [(t) => t.room.undo, 'Undo'],
  [(t) => t.room.step, 'Step'],
  [(t) => t.room.continueFromHere, 'Play from here'],
  [(t) => t.analysis.trying, 'Analysis: these moves are not sent.'],
  [(t) => t.analysis.noEngineLines, 'Engine idle.'],
  [(t) => t.room.rematch, 'Rematch (swap colours)'],
  [(t) => t.room.saveRecord, 'Download game'],
  [late, 'Alice ran out of time'],
  [(t) => t.engines.trustLead.split(':')[0]!, 'Native engines are not fully sandboxed'],
  [(t) => t.engines.untrusted, 'Not yet trusted'],
  [(t) => t.common.notFound, 'Page not found'],
  [(t) => t.settings.themes.system, 'System'],
  [(t) => formatBudget('fuel:1e9/move', t.budget), '1 G fuel/move'],
  [(t) => t.arenas.crossTable, 'Crosstable'],
  [(t) => t.contests.submitted(1), 'Entry 1 received, checking…'],
  [(t) => t.contests.houseEngines, 'House bots'],
  [(t) => t.contests.forgetToken, 'Sign out', '退出'],
  [(t) => t.contests.activity, 'Audit log'],
  [(t) => t.contests.addEntrant, 'Add entrant'],
  [(t) => t.contests.similarEntries, 'Similar code'],
  [(t) => t.room.toMove, 'to move', '走棋中'],
  [(t) => t.games.replay, 'Replay', '回放'],
  [(t) => t.room.claimWin, 'Claim the win', '申请判胜'],
  [(t) => t.room.playMove, 'Play', '落子'],
  [(t) => t.analysis.evaluationLead(t.boards.sides['red']!), 'Above the line: Red is better.', '曲线在上：红优。'],
  [(t) => t.analysis.mistakeKinds.blunder, 'blunder', '大漏着'],
  [(t) => t.arenas.pairs('3', '12', 2), '3 of 12 pairs', '3 / 12 个对局组'],
  [(t) => translate('checkmate', null, t), 'checkmate', '绝杀'],
  [(t) => t.boards.names['bridge']!, 'Bridge, double dummy', '桥牌（双明手打牌）'],
])('%o', (read, expected, chinese) => {
  expect(read(en)).toBe(expected);
  if (chinese !== undefined) {
    expect(read(zh)).toBe(chinese);
  }
});

/** The texts of a table that need no arguments. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') {
    return [value];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

test('Chinese punctuation has full width', () => {
  expect(texts(zh).filter((text) => /[\u4e00-\u9fff][,;:?!]|[,;:?!][\u4e00-\u9fff]/.test(text))).toEqual([]);
  expect(english).toBe(en);
});
