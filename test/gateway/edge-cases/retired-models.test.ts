/** Models that their provider has turned off: the answer says so and names the successor, whichever format the client uses. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const messages = [{ role: "user", content: "Hello" }];
const PRICES = { ModelRatio: '{"old-1":1,"new-1":1}' };
/** The operator's own date, which holds for every channel. */
const OWN_DATE = { ModelCatalog: '{"old-1":{"deprecation_date":"2026-01-31","successor":"new-1"}}' };

type Setup = Parameters<typeof startRelay>[0];

function start(answer: () => Response, setup: Partial<Setup> = {}) {
  const upstream = startUpstream(answer);
  const channels = setup.channels ?? [{ models: ["old-1"] }];
  const relay = startRelay({
    channels: channels.map((channel) => ({ baseUrl: upstream.url, ...channel })),
    options: { RetryTimes: "0", ...PRICES, ...OWN_DATE, ...setup.options },
  });
  stops.push(relay.stop, upstream.stop);
  return relay;
}

const notFound =
  (status = 404, error: object = { message: "The model `old-1` does not exist" }) =>
  () =>
    Response.json({ error }, { status });

type Path = Readonly<{ path: string; body: object }>;

const FORMATS: readonly (readonly [string, (model: string) => Path])[] = [
  ["Chat Completions", (model) => ({ path: "/v1/chat/completions", body: { model, messages } })],
  ["Responses", (model) => ({ path: "/v1/responses", body: { model, input: "Hello" } })],
  ["Messages", (model) => ({ path: "/v1/messages", body: { model, messages, max_tokens: 9 } })],
  [
    "Gemini",
    (model) => ({
      path: `/v1beta/models/${model}:generateContent`,
      body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
    }),
  ],
];

describe("a retired model that no channel offers", () => {
  test.each(FORMATS)("is 404 in %s, with its day and successor", async (_, request) => {
    const relay = start(() => Response.json(chatReply()), { channels: [{ models: ["new-1"] }] });
    for (const [model, date, successor] of [
      ["old-1", "2026-01-31", "new-1"],
      ["claude-opus-4-1-20250805", "2026-08-05", "claude-opus-4-8"],
      ["grok-code-fast-1", "2026-05-15", "grok-4.7"],
      ["llama-3.3-70b-versatile", "2026-08-16", "openai/gpt-oss-120b"],
    ]) {
      const { path, body } = request(model ?? "");
      const { status, error } = await failureOf(await relay.post(path, body));
      expect(status).toBe(404);
      expect(error.message).toContain(`The model “${model}” was retired on ${date}; its successor is “${successor}”.`);
    }
  });

  test("keeps the code that clients know, and others stay unknown", async () => {
    const relay = start(() => Response.json(chatReply()), { channels: [{ models: ["new-1"] }] });
    const { error } = await failureOf(await relay.post("/v1/chat/completions", { model: "old-1", messages }));
    expect(error).toMatchObject({ code: "model_not_found", param: "model" });
    const unknown = await failureOf(await relay.post("/v1/chat/completions", { model: "no-such", messages }));
    expect(unknown.error.message).not.toContain("retired");
    const model = await fetch(`${relay.url}/v1/models/old-1`, { headers: { authorization: "Bearer sk-test" } });
    expect((await failureOf(model)).error.message).toContain("its successor is “new-1”");
  });

  test("is not called retired before its day", async () => {
    const relay = start(() => Response.json(chatReply()), {
      channels: [{ models: ["new-1"] }],
      options: { ModelCatalog: '{"old-1":{"deprecation_date":"2099-01-31","successor":"new-1"}}' },
    });
    const { error } = await failureOf(await relay.post("/v1/chat/completions", { model: "old-1", messages }));
    expect(error.message).not.toContain("retired");
  });
});

describe("a retired model that a channel offers", () => {
  test("goes on to the upstream, which may serve it", async () => {
    const relay = start(() => Response.json(chatReply()));
    expect((await relay.post("/v1/chat/completions", { model: "old-1", messages })).status).toBe(200);
  });

  test.each(FORMATS)("adds the successor to the upstream's 404 in %s", async (_, request) => {
    const relay = start(notFound());
    const { path, body } = request("old-1");
    const { status, error } = await failureOf(await relay.post(path, body));
    expect(status).toBe(404);
    expect(error.message).toContain(
      "The model `old-1` does not exist The model “old-1” was retired on 2026-01-31; its successor is “new-1”.",
    );
  });

  const answers: readonly (readonly [string, () => Response, boolean])[] = [
    ["410", notFound(410, { message: "Gone" }), true],
    [
      "Groq's 400",
      notFound(400, {
        message: "The model `old-1` has been decommissioned and is no longer supported.",
        type: "invalid_request_error",
        code: "model_decommissioned",
      }),
      true,
    ],
    ["another 400", notFound(400, { message: "messages must not be empty" }), false],
    ["401", notFound(401, { message: "Invalid key for model" }), false],
    ["503", notFound(503, { message: "The model is not available now" }), false],
  ];
  test.each(answers)("%s", async (_, answer, isNamed) => {
    const relay = start(answer);
    const { error } = await failureOf(await relay.post("/v1/chat/completions", { model: "old-1", messages }));
    expect(error.message?.includes("its successor is")).toBe(isNamed);
  });

  test("says nothing of a name that the operator maps, and nothing where the model lives", async () => {
    const mapped = start(notFound(404, { message: "not found" }), {
      channels: [{ models: ["alias"], modelMapping: new Map([["alias", "old-1"]]) }],
      options: { ModelRatio: '{"alias":1}' },
    });
    const alias = await failureOf(await mapped.post("/v1/chat/completions", { model: "alias", messages }));
    expect(alias.error.message).not.toContain("old-1");
    const living = start(notFound(), { channels: [{ models: ["new-1"] }] });
    const { error } = await failureOf(await living.post("/v1/chat/completions", { model: "new-1", messages }));
    expect(error.message).not.toContain("retired");
  });
});

/** The error of a response, which every format has under `error`. */
async function failureOf(response: Response) {
  const body: unknown = await response.json();
  const { error } = body as { error: { message?: string; code?: unknown; param?: unknown } };
  return { status: response.status, error };
}
