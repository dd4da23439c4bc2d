/** Bit rates of MPEG-1 layer III frames, in kbit/s, by their index; and of MPEG-2. */
const RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** What is assumed of formats that are not read here: speech is seldom sent at less. */
const ASSUMED_BYTES_PER_SECOND = 4_000;
const HEAD_BYTES = 64 * 1024;

/** How long a sound file plays, in seconds: read from WAV and MP3 heads, else estimated by its size from above. */
export async function audioSeconds(file: Blob): Promise<number> {
  const head = Buffer.from(await file.slice(0, HEAD_BYTES).arrayBuffer());
  return wavSeconds(head, file.size) ?? mp3Seconds(head, file.size) ?? file.size / ASSUMED_BYTES_PER_SECOND;
}

function wavSeconds(head: Buffer, size: number): number | null {
  if (head.toString("latin1", 0, 4) !== "RIFF" || head.toString("latin1", 8, 12) !== "WAVE") return null;
  const format = head.indexOf("fmt ");
  if (format < 0 || format + 20 > head.length) return null;
  const bytesPerSecond = head.readUInt32LE(format + 16);
  const data = head.indexOf("data", format);
  if (bytesPerSecond === 0) return null;
  return (size - (data < 0 ? 44 : data + 8)) / bytesPerSecond;
}

function mp3Seconds(head: Buffer, size: number): number | null {
  const tag = head.toString("latin1", 0, 3) === "ID3" ? 10 + synchsafe(head, 6) : 0;
  for (let at = tag; at + 4 < head.length; at += 1) {
    const second = head[at + 1] ?? 0;
    if (head[at] !== 0xff || (second & 0xe6) !== 0xe2) continue;
    const rates = (second & 0x08) !== 0 ? RATES_1 : RATES_2;
    const kilobits = rates[(head[at + 2] ?? 0) >> 4] ?? 0;
    if (kilobits > 0) return ((size - at) * 8) / (kilobits * 1000);
  }
  return null;
}

/** A length in four bytes of seven bits, as ID3 writes it. */
const synchsafe = (head: Buffer, at: number): number =>
  [0, 1, 2, 3].reduce((sum, offset) => (sum << 7) | ((head[at + offset] ?? 0) & 0x7f), 0);
