// The English texts of the server's messages: those of the server, but for what is said in another way on a page.
import codes from './codes.json';
import type { MessageTexts } from './messages';

export const messages: MessageTexts = {
  ...codes,
  lost_on_time: '{player} ran out of time',
  lost_connection: '{player} lost the connection',
};

export const messageWords: Readonly<Record<string, string>> = {};

/**
 * What is wrong with a request, by the kind of the server's problem, before a detail that has no code. In English the detail
 * says it.
 */
export const problemKinds: Readonly<Record<string, string>> = {};
