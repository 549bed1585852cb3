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

/** The secret of an invitation in the fragment of a link, `#invitation=…`, which browsers send to no server; null: none. */
export function invitationOfFragment(fragment: string): string | null {
  return /^#invitation=(sbi-[0-9a-f]{40})$/.exec(fragment)?.[1] ?? null;
}

/** The link of an invitation. */
export const invitationLink = (origin: string, contest: string, secret: string): string =>
  `${origin}/contests/${encodeURIComponent(contest)}/register#invitation=${secret}`;
