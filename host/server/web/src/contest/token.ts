// The contest token of this tab. It is kept in the given storage only, and never shown or put into an address.
import type { KeyValueStorage } from '../settings/settings';

const keyOf = (contest: string) => `sandboard.contest.${contest}`;

export function loadToken(storage: KeyValueStorage, contest: string): string | null {
  const token = storage.getItem(keyOf(contest));
  return token === null || token.trim() === '' ? null : token;
}

export function storeToken(storage: KeyValueStorage, contest: string, token: string): void {
  storage.setItem(keyOf(contest), token.trim());
}

export function removeToken(storage: KeyValueStorage, contest: string): void {
  storage.setItem(keyOf(contest), '');
}
