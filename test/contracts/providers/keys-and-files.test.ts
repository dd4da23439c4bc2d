/** What channel types do with keys besides signing: tokens that grow old, kinds of keys, versions, images to upload. */
import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { openaiReply } from "./fakes/compatible.ts";
import { dataEvents, eventStream } from "./fakes/fake-type.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  setSystemTime();
  for (const stop of stops.splice(0)) stop();
});

type Answering = Parameters<typeof startUpstream>[0];

function start(channel: { type: number; key: string; model: string; other?: string }, answer: Answering) {
  const upstream = startUpstream(answer);
  const { type, key, model, other = "" } = channel;
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: [key], other, models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(upstream.stop, relay.stop);
  const post = (content: unknown = "q") =>
    relay.post("/v1/chat/completions", { model, user: "u", messages: [{ role: "user", content }] });
  return { upstream, post };
}

test("Qianfan: one token for many calls; one that the service no longer knows is fetched again, once", async () => {
  let known = "";
  let fetched = 0;
  const answer = { id: "a", result: "x", usage: { prompt_tokens: 1, total_tokens: 2 } };
  const { post } = start({ type: 15, key: "ageing|secret", model: "ERNIE-4.0-8K" }, ({ path }, request) => {
    if (path === "/oauth/2.0/token") {
      known = `24.${++fetched}`;
      return Response.json({ access_token: known, expires_in: 2_592_000 });
    }
    const isKnown = new URL(request.url).searchParams.get("access_token") === known;
    return Response.json(isKnown ? answer : { error_code: 111, error_msg: "Access token expired" });
  });
  await Promise.all([post(), post(), post()]);
  expect(fetched).toBe(1);
  known = "gone";
  setSystemTime(Date.now() + 60_000);
  expect((await post()).status).toBe(200);
  expect(fetched).toBe(2);
});

test("Qianfan: a key that is none is refused in the service's words", async () => {
  const { post } = start({ type: 15, key: "wrong|secret", model: "ERNIE-4.0-8K" }, () =>
    Response.json({ error: "invalid_client", error_description: "unknown client id" }, { status: 401 }),
  );
  expect((await post()).status).toBeGreaterThanOrEqual(400);
});

test("Hunyuan: a plain key goes to the address that imitates OpenAI", async () => {
  const { upstream, post } = start({ type: 23, key: "sk-plain", model: "hunyuan-lite" }, openaiReply);
  expect((await post()).status).toBe(200);
  expect(upstream.received.map(({ path, headers }) => [path, headers.get("authorization")])).toEqual([
    ["/v1/chat/completions", "Bearer sk-plain"],
  ]);
});

describe("Dify", () => {
  const IMAGE = "iVBORw0KGgo=";

  test("images inside the request are uploaded for the same user before", async () => {
    const { upstream, post } = start({ type: 37, key: "app-1", model: "dify" }, async ({ path }) => {
      if (path === "/v1/files/upload") return Response.json({ id: "file-7" }, { status: 201 });
      return eventStream(
        dataEvents([
          { event: "message", answer: "A picture." },
          { event: "message_end", metadata: { usage: { prompt_tokens: 1, completion_tokens: 2 } } },
        ]),
      );
    });
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE}` } };
    const answer = await post([{ type: "text", text: "What is it?" }, image]);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "A picture." } }] });
    const [uploaded, chatCall] = upstream.received;
    expect(uploaded?.headers.get("authorization")).toBe("Bearer app-1");
    expect(uploaded?.text).toContain('name="user"\r\n\r\nu\r\n');
    expect(uploaded?.text).toContain("PNG");
    expect(JSON.parse(chatCall?.text ?? "")).toMatchObject({
      query: "What is it?",
      user: "u",
      files: [{ type: "image", transfer_method: "local_file", upload_file_id: "file-7" }],
    });
  });

  test.each([
    ["workflow-report", "/v1/workflows/run"],
    ["completion", "/v1/completion-messages"],
    ["anything", "/v1/chat-messages"],
  ])("a model named %s is at %s", async (model, path) => {
    const { upstream, post } = start({ type: 37, key: "app-1", model }, () => Response.json({}, { status: 404 }));
    await post();
    expect(upstream.received[0]?.path).toBe(path);
  });
});
