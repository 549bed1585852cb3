// The sounds of the client, synthesised without files: a knock for a move, two rising tones for your turn, two equal tones
// for an offer.

let context: AudioContext | null = null;

function audioContext(): AudioContext | null {
  try {
    context ??= new AudioContext();
    void context.resume().catch(() => undefined);
    return context;
  } catch {
    return null;
  }
}

/** The sound of a move. */
export function playMoveSound(): void {
  const audio = audioContext();
  if (audio === null) {
    return;
  }
  const length = Math.floor(audio.sampleRate * 0.06);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i += 1) {
    samples[i] = (Math.random() * 2 - 1) * Math.exp((-9 * i) / length);
  }
  const source = audio.createBufferSource();
  source.buffer = buffer;
  const filter = audio.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.value = 1150;
  filter.Q.value = 2.5;
  const gain = audio.createGain();
  gain.gain.value = 0.5;
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start();
}

/** The sound of the viewer's turn. */
export function playTurnSound(): void {
  playTones([523.25, 659.25]);
}

/** The sound of another player's offer: a draw, or moves to take back. */
export function playOfferSound(): void {
  playTones([440, 440]);
}

/** Plays tones of these frequencies in hertz, one after another. */
function playTones(frequencies: number[]): void {
  const audio = audioContext();
  if (audio === null) {
    return;
  }
  frequencies.forEach((frequency, index) => {
    const start = audio.currentTime + index * 0.11;
    const tone = audio.createOscillator();
    tone.type = 'sine';
    tone.frequency.value = frequency;
    const gain = audio.createGain();
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(0.12, start + 0.015);
    gain.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
    tone.connect(gain).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.52);
  });
}
