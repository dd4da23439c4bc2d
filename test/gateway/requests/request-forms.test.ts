import { afterAll, beforeAll, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

/** Fields of forms by which a call is admitted and priced reach the provider once, under the name that was read. */

const upstream = startUpstream(() => Response.json({ created: 1, data: [{ b64_json: "" }], text: "Hi" }));
let relay: ReturnType<typeof startRelay>;
beforeAll(() => {
  relay = startRelay({
    channels: [{ type: 1, baseUrl: upstream.url, models: ["cheap", "expensive"] }],
    options: { ModelRatio: JSON.stringify({ cheap: 1 }) },
    tokens: { test: { modelLimits: new Set(["cheap"]) } },
  });
});
afterAll(() => {
  relay.stop();
  upstream.stop();
});

const EDITS = "/v1/images/edits";
const TRANSCRIPTIONS = "/v1/audio/transcriptions";
const BASE = ['name="model"\r\n\r\ncheap', 'name="prompt"\r\n\r\nan otter'];
const IMAGE_PART = 'filename="a.png"\r\nContent-Type: image/png\r\n\r\nPNG';

async function send(path: string, parts: readonly string[]) {
  const sent = upstream.received.length;
  const body = `${parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n`).join("")}--b--\r\n`;
  const answer = await relay.post(path, body, { headers: { "content-type": "multipart/form-data; boundary=b" } });
  return { status: answer.status, text: await answer.text(), reached: upstream.received.length - sent };
}

test.each([
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, 'name="model"\r\n\r\nexpensive'], "model"],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, 'name="Model"\r\n\r\nexpensive'], "Model"],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, 'name="model[]"\r\n\r\nexpensive'], "model[]"],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, 'name="N"\r\n\r\n9'], "N"],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, 'name="n"\r\n\r\n1', 'name="n"\r\n\r\n9'], "n"],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, 'name="n"\r\n\r\n1e308'], "n"],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, 'name="n"\r\n\r\n 9'], "n"],
  [EDITS, [...BASE, `name="Image"; ${IMAGE_PART}`], "Image"],
  [TRANSCRIPTIONS, [...BASE, `name="file"; ${IMAGE_PART}`, `name="file"; ${IMAGE_PART}`], "file"],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, 'name="x"; name="model"\r\n\r\nexpensive'], "valid multipart form"],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, "name*=UTF-8''model\r\n\r\nexpensive"], "valid multipart form"],
  [
    EDITS,
    [...BASE, `name="image"; ${IMAGE_PART}`, 'name="x" model; x="name=model"\r\n\r\nexpensive'],
    "valid multipart form",
  ],
  [
    EDITS,
    [
      ...BASE,
      `name="image"; ${IMAGE_PART}`,
      'name="x"\r\nContent-Disposition: form-data; name="model"\r\n\r\nexpensive',
    ],
    "valid multipart form",
  ],
])("%s %j is refused and names %s", async (path, parts, named) => {
  const { status, text, reached } = await send(path, parts);
  expect([status, text, reached]).toEqual([400, expect.stringContaining(named), 0]);
});

test.each([
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, `name="image"; ${IMAGE_PART}`]],
  [EDITS, [...BASE, `name="image[]"; ${IMAGE_PART}`, `name="image[]"; ${IMAGE_PART}`]],
  [EDITS, [...BASE, `name="image[0]"; ${IMAGE_PART}`, `name="image[1]"; ${IMAGE_PART}`]],
  [EDITS, [...BASE, `name="image"; filename="a; name=model.png"\r\nContent-Type: image/png\r\n\r\nPNG`]],
  [EDITS, [...BASE, `filename="; name=evil"; name="image"\r\nContent-Type: image/png\r\n\r\nPNG`]],
  [EDITS, [...BASE, `name="image"; ${IMAGE_PART}`, `name="constructor"\r\n\r\n1`, 'name="__proto__"\r\n\r\n1']],
  [
    TRANSCRIPTIONS,
    [
      ...BASE,
      `name="file"; filename="a.wav"; filename*=UTF-8''a.wav\r\n\r\nRIFF`,
      'name="timestamp_granularities[]"\r\n\r\nword',
      'name="timestamp_granularities[]"\r\n\r\nsegment',
    ],
  ],
])("%s %j goes on", async (path, parts) => {
  const { status, text, reached } = await send(path, parts);
  expect([status, text, reached]).toEqual([200, expect.any(String), 1]);
});
