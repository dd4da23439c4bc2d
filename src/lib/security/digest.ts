/** SHA-256 of a text, in hex: 64 characters. */
export const hexDigest = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
