/** Searches in the plain byte arrays that the runtime reads, with Buffer's native search. */

/** Index of the first `needle` at or after `from`; -1 if there is none. */
export const indexOfBytes = (bytes: Uint8Array, needle: Buffer, from = 0): number =>
  Buffer.prototype.indexOf.call(bytes, needle, from);

/** Whether a byte is whitespace in JSON (RFC 8259, section 2). */
export const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes the bytes, or a part of them, as UTF-8. */
export const textOfBytes = (bytes: Uint8Array, start = 0, end = bytes.length): string =>
  start === 0 && end === bytes.length ? utf8.decode(bytes) : Buffer.prototype.toString.call(bytes, "utf8", start, end);
