// The languages of the client's texts.

export type Language = 'en' | 'zh';

/** A text in every language. */
export type LocalizedText = Readonly<Record<Language, string>>;

/** The tags by which `Intl` formats numbers and dates. */
export const FORMAT_LOCALES: LocalizedText = { en: 'en-GB', zh: 'zh-CN' };
