const BYTES_PER_SECOND = 16_000;

/** A WAV file of so many seconds of silence: 16 bits, 8,000 samples a second. `dataBytes`: the length that its header states. */
export function wav(seconds: number, dataBytes = seconds * BYTES_PER_SECOND): Uint8Array<ArrayBuffer> {
  const file = Buffer.alloc(44 + seconds * BYTES_PER_SECOND);
  file.write("RIFF\0\0\0\0WAVEfmt ", "latin1");
  file.writeUInt32LE(Math.min(36 + dataBytes, 0xff_ff_ff_ff), 4);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(BYTES_PER_SECOND / 2, 24);
  file.writeUInt32LE(BYTES_PER_SECOND, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(dataBytes, 40);
  return new Uint8Array(file);
}
