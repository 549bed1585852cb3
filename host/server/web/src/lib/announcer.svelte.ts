// Announcements for screen readers: short sentences that the live region reads one after another.

const VISIBLE_MS = 4000;
const MAX_SENTENCES = 5;

class Announcer {
  /** The sentences in the live region. */
  sentences = $state.raw<{ id: number; text: string }[]>([]);
  #nextId = 0;

  /** Announces a sentence. The same sentence twice is read twice. */
  announce(text: string): void {
    const id = this.#nextId++;
    this.sentences = [...this.sentences, { id, text }].slice(-MAX_SENTENCES);
    setTimeout(() => {
      this.sentences = this.sentences.filter((sentence) => sentence.id !== id);
    }, VISIBLE_MS);
  }
}

export const announcer = new Announcer();
