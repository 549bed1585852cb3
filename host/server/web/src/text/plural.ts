// Plural forms by the rules of a language.

type Form = 'one' | 'other';

/**
 * Makes the function that puts a number before the form of a word that belongs to it: `1 move`, `2 moves`. `shown` replaces
 * the number, for example by a formatted one.
 */
export function pluralOf(locale: string) {
  const rules = new Intl.PluralRules(locale);
  return (n: number, one: string, other: string, shown: string | number = n): string => {
    const forms: Record<Form, string> = { one, other };
    return `${shown} ${forms[rules.select(n) as Form] ?? other}`;
  };
}
