// The sounds of the client, synthesised without files: a knock for a move, a lower and longer one for a capture, two rising
// tones for your turn, two equal tones for an offer, three falling ones for check, three short high ones for little time.

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
  playKnock(1150, 0.06);
}

/** The sound of a move that captures. */
export function playCaptureSound(): void {
  playKnock(520, 0.14);
}

/** Plays a knock of this pitch in hertz and length in seconds. */
function playKnock(pitch: number, seconds: number): void {
  const audio = audioContext();
  if (audio === null) {
    return;
  }
  const length = Math.floor(audio.sampleRate * seconds);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i += 1) {
    samples[i] = (Math.random() * 2 - 1) * Math.exp((-9 * i) / length);
  }
  const source = audio.createBufferSource();
  source.buffer = buffer;
  const filter = audio.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.value = pitch;
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

/** The sound of a check. */
export function playCheckSound(): void {
  playTones([880, 784, 659.25]);
}

/** The sound of a clock with little time left. */
export function playLowTimeSound(): void {
  playTones([1175, 1175, 1175]);
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
