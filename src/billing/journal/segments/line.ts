const CRC_DIGITS = 8;
const NEWLINE = 0x0a;
const BLANK = 0x20;
const HEX = Buffer.from("0123456789abcdef");
/** Checksum and the blank behind it. */
const PREFIX = CRC_DIGITS + 1;

/** Longest UTF-8 form of a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** So many bytes of lines are put together without memory of their own. */
export const HANDY_BYTES = 256 * 1024;

const scratch = Buffer.allocUnsafe(HANDY_BYTES);

/** Bytes that a text's line has at most. */
export const mostLineBytes = (text: string): number => PREFIX + text.length * BYTES_PER_UNIT + 1;

/**
 * Journal lines, one behind the other: CRC-32 in hex, a blank, the text, a newline; and where each ends. The bytes are only
 * good until the next call.
 */
export function linesOf(texts: readonly string[]): { bytes: Buffer; ends: number[] } {
  let needed = 0;
  for (const text of texts) needed += mostLineBytes(text);
  const buffer = needed > scratch.length ? Buffer.allocUnsafe(needed) : scratch;
  const ends: number[] = [];
  let start = 0;
  for (const text of texts) {
    const end = start + PREFIX + buffer.write(text, start + PREFIX);
    writeChecksum(buffer, start, buffer.subarray(start + PREFIX, end));
    buffer[start + CRC_DIGITS] = BLANK;
    buffer[end] = NEWLINE;
    start = end + 1;
    ends.push(start);
  }
  return { bytes: buffer.subarray(0, start), ends };
}

/** The text of a line without its newline; null when the line is damaged. */
export function textOf(line: Buffer): string | null {
  if (line.length <= PREFIX) return null;
  const text = line.subarray(PREFIX);
  writeChecksum(expected, 0, text);
  return expected.equals(line.subarray(0, CRC_DIGITS)) ? text.toString("utf8") : null;
}

const expected = Buffer.alloc(CRC_DIGITS);

/**
 * Writes the checksum in hex. Digit by digit, which takes a third of the time of a text
 * made for it.
 */
function writeChecksum(buffer: Buffer, at: number, data: Uint8Array): void {
  const bits = Bun.hash.crc32(data);
  for (let digit = 0; digit < CRC_DIGITS; digit += 1) {
    buffer[at + digit] = HEX[(bits >>> (28 - 4 * digit)) & 0xf] as number;
  }
}
