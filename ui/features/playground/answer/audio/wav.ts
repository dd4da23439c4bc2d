/** Audio in OpenAI's format: PCM of 16 bits, one channel. */
const [SAMPLES_A_SECOND, BYTES_A_SAMPLE] = [24_000, 2];
const HEAD_BYTES = 44;

/** Pieces of PCM, each in base64, as a WAV file (RIFF), which browsers play. */
export function wavOf(pieces: readonly string[]): Uint8Array<ArrayBuffer> {
  const parts = pieces.map((piece) => Uint8Array.from(atob(piece), (letter) => letter.charCodeAt(0)));
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  const file = new Uint8Array(HEAD_BYTES + bytes);
  const head = new DataView(file.buffer);
  const write = (at: number, name: string) => file.set(new TextEncoder().encode(name), at);
  write(0, "RIFF");
  head.setUint32(4, HEAD_BYTES - 8 + bytes, true);
  write(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, SAMPLES_A_SECOND, true);
  head.setUint32(28, SAMPLES_A_SECOND * BYTES_A_SAMPLE, true);
  head.setUint16(32, BYTES_A_SAMPLE, true);
  head.setUint16(34, BYTES_A_SAMPLE * 8, true);
  write(36, "data");
  head.setUint32(40, bytes, true);
  let at = HEAD_BYTES;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}
