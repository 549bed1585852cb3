// Moments, amounts and names of files as people read them.
import type { Lang } from '../boards/board';

const TAGS: Record<Lang, string> = { en: 'en-GB', zh: 'zh-CN' };

/** A moment, with day and minute; a text that is no moment stays as it is. */
export function when(moment: string, lang: Lang): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime())
    ? moment
    : new Intl.DateTimeFormat(TAGS[lang], { dateStyle: 'medium', timeStyle: 'short' }).format(date);
}

export function number(value: number, lang: Lang): string {
  return new Intl.NumberFormat(TAGS[lang]).format(value);
}

/** A large number in short: 1.23bn. */
export function compact(value: number, lang: Lang): string {
  return new Intl.NumberFormat(TAGS[lang], { notation: 'compact', maximumSignificantDigits: 3 }).format(value);
}

export function mebibytes(bytes: number): string {
  return String(Math.round(bytes / 1024 / 1024));
}

/** Hands a file to whoever looks. */
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

/** A name for a file that any system takes. */
export function fileName(...parts: string[]): string {
  return parts.map((part) => part.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '')).filter(Boolean).join('-');
}
