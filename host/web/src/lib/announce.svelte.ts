// What a screen reader hears of what happens by itself: short sentences, one after another, politely.

const KEPT_MS = 4000;

class Announcer {
  /** The sentences that stand in the live region. */
  said = $state.raw<{ id: number; text: string }[]>([]);
  #next = 0;

  /** Says a sentence; the same one twice is heard twice. */
  say(text: string): void {
    const id = this.#next++;
    this.said = [...this.said, { id, text }].slice(-5);
    setTimeout(() => {
      this.said = this.said.filter((sentence) => sentence.id !== id);
    }, KEPT_MS);
  }
}

export const announcer = new Announcer();
