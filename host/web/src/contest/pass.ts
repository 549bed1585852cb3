// The token that this tab bears in a contest. It is shown nowhere and stands in no address.
import type { Store } from '../lib/settings';

const key = (contest: string) => `sandboard.contest.${contest}`;

export function passOf(store: Store, contest: string): string | null {
  const kept = store.getItem(key(contest));
  return kept === null || kept.trim() === '' ? null : kept;
}

export function keepPass(store: Store, contest: string, token: string): void {
  store.setItem(key(contest), token.trim());
}

export function dropPass(store: Store, contest: string): void {
  store.setItem(key(contest), '');
}
