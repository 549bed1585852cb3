// The table of texts of each language. A new language is a table of type `Texts` and one row here.
import { en, type Texts } from './en';
import type { Language } from './language';
import { zh } from './zh';

export const texts: Readonly<Record<Language, Texts>> = { en, zh };
