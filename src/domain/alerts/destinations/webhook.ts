import { createHmac } from "node:crypto";
import type { DestinationType } from "./destination-type.ts";

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

/**
 * Any address, signed by Standard Webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const webhook: DestinationType = {
  fields: [
    { name: "url", format: "url" },
    { name: "secret", format: "webhook_secret", isSecret: true },
  ],
  throughWorker: true,
  buildRequest: ({ url = "", secret = "" }, alert, { id, now }) => ({
    url,
    body: {
      type: alert.type,
      timestamp: new Date(alert.at * 1000).toISOString(),
      data: {
        key: alert.key,
        state: alert.state,
        severity: alert.severity,
        title: alert.title,
        content: alert.content,
        values: alert.values,
        link: alert.link?.address ?? null,
      },
    },
    headers: (body) => ({
      "webhook-id": id,
      "webhook-timestamp": String(now),
      "webhook-signature": signWebhook(secret, { id, timestamp: now, body }),
    }),
  }),
};
