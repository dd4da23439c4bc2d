import { signWebhook } from "../../../lib/security/webhook-signature.ts";
import type { DestinationType } from "./destination-type.ts";

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
