const CRC_DIGITS = 8;
const NEWLINE = 0x0a;
/** Checksum and the blank behind it. */
const PREFIX = CRC_DIGITS + 1;

/** Longest UTF-8 form of a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

const scratch = Buffer.allocUnsafe(256 * 1024);

/** One journal line: CRC-32 in hex, a blank, the text, a newline. The bytes are only good until the next call. */
export function lineOf(text: string): Buffer {
  const needed = PREFIX + text.length * BYTES_PER_UNIT + 1;
  const buffer = needed > scratch.length ? Buffer.allocUnsafe(needed) : scratch;
  const end = PREFIX + buffer.write(text, PREFIX);
  buffer.write(`${checksum(text)} `, 0, "latin1");
  buffer[end] = NEWLINE;
  return buffer.subarray(0, end + 1);
}

/** The text of a line without its newline; null when the line is damaged. */
export function textOf(line: Buffer): string | null {
  if (line.length <= PREFIX) return null;
  const text = line.subarray(PREFIX);
  return line.toString("latin1", 0, CRC_DIGITS) === checksum(text) ? text.toString("utf8") : null;
}

/** Of text: that of its bytes in UTF-8. */
const checksum = (data: Uint8Array | string): string => Bun.hash.crc32(data).toString(16).padStart(CRC_DIGITS, "0");
