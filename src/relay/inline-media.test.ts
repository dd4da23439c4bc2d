import { afterAll, expect, test } from "bun:test";
import { startRelay } from "./testing/start-relay.ts";
import { startUpstream } from "./testing/start-upstream.ts";

const GEMINI = 24;

const upstream = startUpstream(() => Response.json({}));
/** Something on the inside that nobody may reach. */
const inside = startUpstream(() => new Response("secret", { headers: { "content-type": "image/png" } }));
const relay = startRelay({
  channels: [{ type: GEMINI, models: ["gpt-4o"], baseUrl: upstream.url }],
  config: { allowPrivateUpstreams: false },
});
afterAll(() => Promise.all([upstream.stop(), inside.stop(), relay.stop()]));

const port = new URL(inside.url).port;

test.each(["127.0.0.1", "0.0.0.0", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433"])(
  "a picture at %s is not fetched from the inside",
  async (host) => {
    const image = { type: "image_url", image_url: { url: `http://${host}:${port}/picture.png` } };
    const messages = [{ role: "user", content: [{ type: "text", text: "What is it?" }, image] }];
    const answer = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("The image could not be fetched");
    expect([inside.received, upstream.received]).toEqual([[], []]);
  },
);
