// Two sounds, made here: wood on wood for a move, a soft pair of tones when it is one's turn. No file is loaded.

let context: AudioContext | null = null;

function audio(): AudioContext | null {
  try {
    context ??= new AudioContext();
    void context.resume().catch(() => undefined);
    return context;
  } catch {
    return null;
  }
}

/** A stone set down. */
export function knock(): void {
  const at = audio();
  if (at === null) {
    return;
  }
  const length = Math.floor(at.sampleRate * 0.06);
  const buffer = at.createBuffer(1, length, at.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i += 1) {
    samples[i] = (Math.random() * 2 - 1) * Math.exp((-9 * i) / length);
  }
  const source = at.createBufferSource();
  source.buffer = buffer;
  const filter = at.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.value = 1150;
  filter.Q.value = 2.5;
  const gain = at.createGain();
  gain.gain.value = 0.5;
  source.connect(filter).connect(gain).connect(at.destination);
  source.start();
}

/** It is your turn. */
export function chime(): void {
  const at = audio();
  if (at === null) {
    return;
  }
  [523.25, 659.25].forEach((frequency, nth) => {
    const begin = at.currentTime + nth * 0.11;
    const tone = at.createOscillator();
    tone.type = 'sine';
    tone.frequency.value = frequency;
    const gain = at.createGain();
    gain.gain.setValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(0.12, begin + 0.015);
    gain.gain.exponentialRampToValueAtTime(0.001, begin + 0.5);
    tone.connect(gain).connect(at.destination);
    tone.start(begin);
    tone.stop(begin + 0.52);
  });
}
