// Dates, numbers and file names for users.
import { LANGUAGES, type Language } from '../text/language';

/** A date with day and minute. A text that is not a date is returned as it is. */
export function formatDate(text: string, language: Language): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? text
    : new Intl.DateTimeFormat(LANGUAGES[language].locale, { dateStyle: 'medium', timeStyle: 'short' }).format(date);
}

export function formatNumber(value: number, language: Language): string {
  return new Intl.NumberFormat(LANGUAGES[language].locale).format(value);
}

/** A large number in compact form: 1.23bn. */
export function formatCompact(value: number, language: Language): string {
  const options = { notation: 'compact', maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(LANGUAGES[language].locale, options).format(value);
}

/** A number of bytes in whole mebibytes. */
export function formatMebibytes(bytes: number): string {
  return String(Math.round(bytes / 1024 / 1024));
}

/** Saves a file through the browser's download. */
export function download(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A file name from several parts that every operating system accepts. */
export function fileName(...parts: string[]): string {
  return parts
    .map((part) => part.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, ''))
    .filter(Boolean)
    .join('-');
}
