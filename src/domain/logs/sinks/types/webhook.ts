import { nowSeconds } from "../../../../lib/clock.ts";
import { signWebhook } from "../../../alerts/destinations/webhook.ts";
import { HTTP_ADDRESS, hostOf, type SinkType, upload } from "../sink-type.ts";

/**
 * Any address, signed by Standard Webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const webhook: SinkType = {
  fields: [
    { name: "url", format: HTTP_ADDRESS },
    { name: "secret", format: "webhook_secret", isSecret: true },
  ],
  maxCalls: 500,
  target: ({ url }) => hostOf(url),
  async send({ url = "", secret = "" }, { id, calls }, deps) {
    const timestamp = nowSeconds();
    const body = JSON.stringify({ type: "usage", timestamp: new Date(timestamp * 1000).toISOString(), data: calls });
    await upload(deps, url, {
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signWebhook(secret, { id, timestamp, body }),
      },
      body,
    });
  },
};
