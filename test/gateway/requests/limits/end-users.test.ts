/** End users that clients name: logged only where the site asks, whichever format and endpoint they are named in. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(options: Parameters<typeof startRelay>[0]["options"] = {}) {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({ channels: [{ type: 43, baseUrl: upstream.url, models: ["gpt-4o"] }], options });
  stops.push(relay.stop, upstream.stop);
  return relay;
}

const messages = [{ role: "user", content: "Hello" }];
const CALLS = [
  ["/v1/chat/completions", { model: "gpt-4o", messages, user: "alice" }],
  ["/v1/responses", { model: "gpt-4o", input: "Hello", safety_identifier: "alice" }],
  ["/v1/messages", { model: "gpt-4o", max_tokens: 9, messages, metadata: { user_id: "alice" } }],
] as const;

test.each(CALLS)("%s", async (path, body) => {
  const relay = start({ EndUsersEnabled: "true" });
  expect((await relay.post(path, body)).status).toBe(200);
  expect((await relay.billing.nextRecord()).other.end_user).toBe("alice");
});

test("the site's own header goes first, and a failed call names its end user too", async () => {
  const relay = start({ EndUsersEnabled: "true", EndUserHeader: "X-Employee" });
  const [path, body] = CALLS[0];
  await relay.post(path, body, { headers: { "x-employee": "e-9" } });
  expect((await relay.billing.nextRecord()).other.end_user).toBe("e-9");
  await relay.post(path, { ...body, model: "nobody-has-it" }, { headers: { "x-employee": "e-10" } });
  expect(await relay.billing.nextRecord(2)).toMatchObject({ failed: true, other: { end_user: "e-10" } });
});

test("a site that does not ask writes nothing down", async () => {
  const relay = start();
  const [path, body] = CALLS[0];
  await relay.post(path, body, { headers: { "x-openwebui-user-email": "a@b.c" } });
  expect((await relay.billing.nextRecord()).other).not.toHaveProperty("end_user");
});
