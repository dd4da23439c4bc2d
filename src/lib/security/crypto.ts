import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts secrets that must be read later (channel keys, options) and hashes those that are only looked up (API keys). */
export type Vault = {
  /** Encrypts with AES-256-GCM and a random nonce. */
  encrypt(text: string): string;
  /** Throws DecryptionError if the text was changed or encrypted with another key. */
  decrypt(cipher: string): string;
  /** HMAC-SHA256 in hex. */
  keyedHash(text: string): string;
};

/** The key cannot decrypt a stored text. */
export class DecryptionError extends Error {
  override name = "DecryptionError";
}

/** The prefix of every ciphertext names its scheme; it is authenticated together with the text. */
const VERSION = "v1.";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A rotated encryption key: 32 random bytes, and the lookup key of the first one, both base64url. */
const ROTATED = /^rotated1\.[\w-]{43}\.([\w-]{43})$/;

/**
 * Creates a new encryption key that contains the lookup key of the old one: hashes of API keys and recovery codes cannot be
 * computed again, because their plain texts are not stored.
 */
export const rotateKey = (encryptionKey: string): string =>
  `rotated1.${randomText(32)}.${lookupKeyOf(encryptionKey).toString("base64url")}`;

function lookupKeyOf(encryptionKey: string): Buffer {
  const carried = ROTATED.exec(encryptionKey)?.[1];
  return carried ? Buffer.from(carried, "base64url") : deriveKey(encryptionKey, "sluice lookup v1");
}

/** Creates a vault; encryption and lookup use separate keys derived from the secret (HKDF-SHA256). */
export function createVault({ encryptionKey }: Readonly<{ encryptionKey: string }>): Vault {
  const cipherKey = deriveKey(encryptionKey, "sluice encryption v1");
  const hasher = new Bun.CryptoHasher("sha256", lookupKeyOf(encryptionKey));
  const additional = Buffer.from(VERSION);

  return {
    encrypt(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce).setAAD(additional);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return VERSION + Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url");
    },
    decrypt(text) {
      if (!text.startsWith(VERSION)) throw new DecryptionError("not a text that this release encrypted");
      const bytes = Buffer.from(text.slice(VERSION.length), "base64url");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new DecryptionError("the encrypted text is cut short");
      const decipher = createDecipheriv("aes-256-gcm", cipherKey, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      }).setAAD(additional);
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
      } catch {
        throw new DecryptionError("the encrypted text was changed, or belongs to another encryption key");
      }
    },
    keyedHash: (text) => hasher.copy().update(text).digest("hex"),
  };
}

/** Derives a 32-byte key for one purpose (HKDF, RFC 5869). */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(secret, "utf8"), Buffer.alloc(0), Buffer.from(purpose), 32));

/** Random bytes in base64url, which is safe in cookies and URLs. */
export const randomText = (bytes: number): string => randomBytes(bytes).toString("base64url");

/** SHA-256 of a text, in hex: 64 characters. */
export const hexDigest = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
