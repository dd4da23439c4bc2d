import { afterAll, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../../test/support/gateway/start-upstream.ts";

const GEMINI = 24;

const upstream = startUpstream(() => Response.json({}));
/** An internal server that must not be reached. */
const inside = startUpstream(() => new Response("secret", { headers: { "content-type": "image/png" } }));
const relay = startRelay({
  channels: [{ type: GEMINI, models: ["gpt-4o"], baseUrl: upstream.url }],
  config: { allowPrivateWebhooks: false },
});
afterAll(() => Promise.all([upstream.stop(), inside.stop(), relay.stop()]));

const port = new URL(inside.url).port;

test.each(["127.0.0.1", "0.0.0.0", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433"])(
  "an image at %s is not fetched from the internal network",
  async (host) => {
    const image = { type: "image_url", image_url: { url: `http://${host}:${port}/picture.png` } };
    const messages = [{ role: "user", content: [{ type: "text", text: "What is it?" }, image] }];
    const answer = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Couldn't fetch the image");
    expect([inside.received, upstream.received]).toEqual([[], []]);
  },
);

describe("media that an upstream does not fetch itself", () => {
  const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const MEGABYTE = 1024 * 1024;
  const media = startUpstream(({ path }) => {
    if (path === "/page.html") return new Response("<html>", { headers: { "content-type": "text/html" } });
    if (path === "/gone.png") return new Response("", { status: 404 });
    if (path === "/large.png") return new Response(Buffer.concat([PNG, Buffer.alloc(21 * MEGABYTE)]));
    if (path === "/moved.png") return Response.redirect(`${media.url}/image.png`);
    // The content type is wrong.
    if (path === "/image.png") return new Response(PNG, { headers: { "content-type": "image/jpeg" } });
    return new Response("%PDF-1.4", { headers: { "content-type": "application/pdf" } });
  });
  const answering = startUpstream(({ path }) =>
    path.includes("generateContent")
      ? Response.json({ candidates: [{ content: { parts: [{ text: "ok" }] }, finishReason: "STOP" }] })
      : Response.json(chatReply()),
  );
  const local = startRelay({
    channels: [
      { type: GEMINI, models: ["inline"], baseUrl: answering.url },
      { type: 1, models: ["chat"], baseUrl: answering.url },
    ],
    options: { ModelRatio: '{"inline": 1, "chat": 1}' },
  });
  afterAll(() => Promise.all([media.stop(), answering.stop(), local.stop()]));
  const see = (...names: string[]) =>
    local.post("/v1/chat/completions", {
      model: "inline",
      messages: [
        { role: "user", content: names.map((name) => ({ type: "image_url", image_url: { url: media.url + name } })) },
      ],
    });

  test.each(["/image.png", "/moved.png"])("%s is inlined, with its type detected from its bytes", async (name) => {
    expect((await see(name)).status).toBe(200);
    expect(answering.received.at(-1)?.text).toContain(`{"mimeType":"image/png","data":"${PNG.toString("base64")}"}`);
  });

  test.each([
    ["/page.html", "content of type text/html"],
    ["/gone.png", "returned status 404"],
    ["/large.png", "Couldn't fetch"],
  ])("%s is rejected", async (name, why) => {
    const count = answering.received.length;
    const response = await see(name);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(why)]);
    expect(answering.received).toHaveLength(count);
  });

  test("more URLs than a call may have are rejected", async () => {
    const response = await see(...Array.from({ length: 33 }, () => "/image.png"));
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("at most 32")]);
  });

  test("a document URL reaches the chat API, which has no field for it", async () => {
    const source = { type: "url", url: `${media.url}/report.pdf` };
    const content = [
      { type: "text", text: "Sum it up." },
      { type: "document", source, title: "report.pdf" },
    ];
    const response = await local.post("/v1/messages", {
      model: "chat",
      max_tokens: 50,
      messages: [{ role: "user", content }],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-sluice-dropped")).toBeNull();
    const data = `data:application/pdf;base64,${Buffer.from("%PDF-1.4").toString("base64")}`;
    expect(JSON.parse(answering.received.at(-1)?.text ?? "").messages[0].content[1]).toEqual({
      type: "file",
      file: { filename: "report.pdf", file_data: data },
    });
  });
});
