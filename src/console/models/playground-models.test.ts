import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { createRoutingIndex } from "../../domain/channels/routing/routing-index.ts";
import { playgroundRoutes } from "./playground-models.ts";

let app: TestConsole;
let ben: Record<string, string>;

const index = createRoutingIndex();
index.add(channelEntry({ id: 1, type: 14, models: ["claude-sonnet-4-5"], groups: ["default"] }));
index.add(channelEntry({ id: 2, type: 1, models: ["gpt-4o", "gpt-5"], groups: ["default"] }));

beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) =>
    playgroundRoutes({ ...services, channels: index }, guarded),
  );
  await app.addUser("ben");
  ben = await app.login("ben");
});
afterAll(() => app.close());

const model = async (name: string) =>
  (await app.ask("GET", `/api/playground/model?name=${name}`, undefined, ben)).body.data;

test("a model's parameters are those that catalog and channels know", async () => {
  expect(await model("claude-sonnet-4-5")).toMatchObject({
    ...{ top_k: true, web_search: true, reasoning: true, verbosity: false, output_limit: 64_000 },
    thinking_budget: { min: expect.any(Number) },
  });
  expect(await model("gpt-5")).toMatchObject({
    top_k: false,
    verbosity: true,
    efforts: expect.arrayContaining(["low"]),
  });
  expect(await model("gpt-4o")).toMatchObject({ reasoning: false, efforts: [], thinking_budget: null });
  expect(await model("unknown")).toMatchObject({ refuses: [], tools: null, web_search: false });
});

test("a request is written in each format, and names what the format has no place for", async () => {
  const request = {
    model: "claude-sonnet-4-5",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
    ...{ temperature: 0.5, max_tokens: 77, frequency_penalty: 1 },
  };
  const code = async (format: string) =>
    (await app.ask("POST", "/api/playground/code", { format, request }, ben)).body.data as {
      path: string;
      body: Record<string, unknown>;
      dropped: string[];
    };
  expect(await code("openai-chat")).toEqual({ path: "/v1/chat/completions", body: request, dropped: [] });
  expect(await code("anthropic")).toMatchObject({
    path: "/v1/messages",
    body: { max_tokens: 77, messages: [{ role: "user" }], temperature: 0.5 },
    dropped: ["frequency_penalty"],
  });
  expect(await code("gemini")).toMatchObject({
    path: "/v1beta/models/claude-sonnet-4-5:generateContent",
    body: { generationConfig: { maxOutputTokens: 77, temperature: 0.5 } },
  });
  expect(await code("openai-responses")).toMatchObject({
    path: "/v1/responses",
    body: { max_output_tokens: 77 },
  });
  const back = {
    from: "gemini",
    format: "openai-chat",
    model: "m",
    request: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
  };
  expect((await app.ask("POST", "/api/playground/code", back, ben)).body.data).toMatchObject({
    body: { model: "m", messages: [{ role: "user", content: "Hi" }] },
  });
  const wrong = { format: "anthropic", request: { model: "m", messages: "none" } };
  expect((await app.ask("POST", "/api/playground/code", wrong, ben)).status).toBe(400);
});
