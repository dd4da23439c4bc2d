/**
 * Searching bytes without first making a Buffer of them: what the runtime reads are plain arrays, and Buffer's native
 * search takes these as they are. Needles are Buffers made once, which is several times faster than text.
 */

/** Index of `needle` at or after `from`; -1 when it is not there. */
export const indexOfBytes = (bytes: Uint8Array, needle: Buffer, from = 0): number =>
  Buffer.prototype.indexOf.call(bytes, needle, from);

/** Index of the last `needle` that begins at or before `from`; -1 when it is not there. */
export const lastIndexOfBytes = (bytes: Uint8Array, needle: Buffer, from = bytes.length): number =>
  Buffer.prototype.lastIndexOf.call(bytes, needle, from);

/** Whether a byte is whitespace in JSON (RFC 8259, section 2). */
export const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** UTF-8 text of (a part of) the bytes; a part is read where it stands, without an array of its own. */
export const textOfBytes = (bytes: Uint8Array, start = 0, end = bytes.length): string =>
  start === 0 && end === bytes.length ? utf8.decode(bytes) : Buffer.prototype.toString.call(bytes, "utf8", start, end);
