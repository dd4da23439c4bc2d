import { createHmac } from "node:crypto";

const PREFIX = "whsec_";
/** Bytes of a key, as the specification bounds them. */
const [FEWEST_BYTES, MOST_BYTES] = [24, 64];

/** Whether a text is a symmetric key of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  const encoded = text.slice(PREFIX.length);
  if (!text.startsWith(PREFIX) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false;
  const { length } = Buffer.from(encoded, "base64");
  return length >= FEWEST_BYTES && length <= MOST_BYTES;
}

/** The signature of a message under a `whsec_` secret; `timestamp` in epoch seconds. */
export function signWebhook(
  secret: string,
  { id, timestamp, body }: Readonly<{ id: string; timestamp: number; body: string }>,
): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
