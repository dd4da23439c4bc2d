import { expect, test } from "bun:test";
import { isWebhookSecret } from "../../../src/lib/security/webhook-signature.ts";
import { makeWebhookSecret } from "./SecretTools.tsx";

test("a generated secret is one that the server takes", () => {
  expect(isWebhookSecret(makeWebhookSecret())).toBe(true);
  expect(makeWebhookSecret()).not.toBe(makeWebhookSecret());
});
