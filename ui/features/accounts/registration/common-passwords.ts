import { FILTER } from "./common-passwords-filter.ts";

/** Bits per password and total bits of a Bloom filter; its false-positive rate is 0.2 %. */
const HASHES = 9;
export const FILTER_BITS = 2 ** 17;

let bytes: Uint8Array | undefined;

/** Whether a password (ignoring case) is one of the 10,000 most leaked of 8 to 20 characters. */
export function isCommonPassword(password: string): boolean {
  bytes ??= Uint8Array.from(atob(FILTER), (letter) => letter.charCodeAt(0));
  return filterBits(password).every((bit) => ((bytes?.[bit >> 3] ?? 0) >> (bit & 7)) & 1);
}

/** A password's bit positions in the filter. */
export function filterBits(password: string): number[] {
  const text = password.toLowerCase();
  const [first, step] = [hash(text, 0x811c9dc5), hash(text, 0x9747b28c) | 1];
  return Array.from({ length: HASHES }, (_, index) => ((first + Math.imul(index, step)) >>> 0) % FILTER_BITS);
}

/** FNV-1a with a final mix. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
