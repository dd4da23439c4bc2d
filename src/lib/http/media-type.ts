/** First bytes of files, as hex, and what they are. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ["89504e470d0a1a0a", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["47494638", "image/gif"],
  ["25504446", "application/pdf"],
  ["494433", "audio/mpeg"],
  ["4f676753", "audio/ogg"],
  ["664c6143", "audio/flac"],
  ["1a45dfa3", "video/webm"],
];

/** The media type detected from a file's first bytes; null when they are of no known kind. */
export function mediaTypeOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12));
  const hex = head.toString("hex");
  const known = SIGNATURES.find(([start]) => hex.startsWith(start));
  if (known) return known[1];
  const container = head.toString("latin1");
  if (container.startsWith("RIFF")) {
    return container.endsWith("WEBP") ? "image/webp" : container.endsWith("WAVE") ? "audio/wav" : null;
  }
  if (container.slice(4, 8) === "ftyp") return /heic|heix|mif1/.test(container.slice(8)) ? "image/heic" : "video/mp4";
  return null;
}
