import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";

const GCM = /^(v[23]):gcm:(.+)$/;
const GCM_NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BOX_NONCE_BYTES = 24;
const SHORTEST_BOX_BYTES = BOX_NONCE_BYTES + TAG_BYTES;

/** What LiteLLM encrypted under `saltKey`, as NaCl secretbox or AES-256-GCM; null: it is no such text, or another key's. */
export function decryptValue(text: string, saltKey: string): string | null {
  const [, version, body] = GCM.exec(text) ?? [];
  try {
    return version && body ? openGcm(body, keyOf(version, saltKey)) : openBox(text, keyOf("box", saltKey));
  } catch {
    return null;
  }
}

/** Whether a text has the form of one that LiteLLM encrypted. */
export const looksEncrypted = (text: string): boolean =>
  GCM.test(text) || (/^[\w+/-]{54,}={0,2}$/.test(text) && Buffer.from(text, "base64").length >= SHORTEST_BOX_BYTES);

function keyOf(version: string, saltKey: string): Buffer {
  if (version === "v3") return Buffer.from(hkdfSync("sha256", saltKey, "", "litellm-at-rest-v3", 32));
  return createHash("sha256").update(saltKey).digest();
}

function openBox(text: string, key: Buffer): string | null {
  // Node reads both alphabets of base64.
  const bytes = Buffer.from(text, "base64");
  if (bytes.length < SHORTEST_BOX_BYTES) return null;
  const opened = xsalsa20poly1305(key, bytes.subarray(0, BOX_NONCE_BYTES)).decrypt(bytes.subarray(BOX_NONCE_BYTES));
  return Buffer.from(opened).toString("utf8");
}

function openGcm(body: string, key: Buffer): string {
  const bytes = Buffer.from(body, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, GCM_NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const opened = [decipher.update(bytes.subarray(GCM_NONCE_BYTES, -TAG_BYTES)), decipher.final()];
  return Buffer.concat(opened).toString("utf8");
}
