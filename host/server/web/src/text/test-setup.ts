// Unit tests may use the texts of every language.
import { loadLanguage } from '.';
import { LANGUAGE_IDS } from './language';

await Promise.all(LANGUAGE_IDS.map(loadLanguage));
