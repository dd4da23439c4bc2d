/** Follows `docs/contributing/adding-a-provider.md`: builds its providers in a copy of the sources and calls them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const PROJECT = join(import.meta.dir, "../../..");
const COPIED = ["src", "db", "test/support", "package.json", "tsconfig.json"];

const page = await Bun.file(join(PROJECT, "docs/contributing/adding-a-provider.md")).text();
const blocks = [...page.matchAll(/^```(ts|diff) (\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", path = "", text = ""]) => ({ language, path, text }),
);

let copy = "";

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "sluice-provider-"));
  await Promise.all(COPIED.map((path) => cp(join(PROJECT, path), join(copy, path), { recursive: true })));
  await symlink(join(PROJECT, "node_modules"), join(copy, "node_modules"));
  for (const { language, path, text } of blocks) {
    const file = join(copy, path);
    await mkdir(dirname(file), { recursive: true });
    await Bun.write(file, language === "ts" ? text : applyDiff(await Bun.file(file).text(), text));
  }
}, 60_000);

afterAll(() => rm(copy, { recursive: true, force: true }));

/** Inserts each line with a plus after the line of context before it. */
function applyDiff(source: string, diff: string): string {
  const lines = source.split("\n");
  let at = -1;
  for (const line of diff.trimEnd().split("\n")) {
    if (line.startsWith("+")) lines.splice(++at, 0, line.slice(1));
    else at = lines.indexOf(line.slice(1));
    if (at < 0) throw new Error(`the registry has no line “${line.slice(1)}”`);
  }
  return lines.join("\n");
}

/** Starts the copy's gateway with a channel of a type to a fake upstream. */
async function startWith(type: number, model: string, respond: Parameters<typeof startUpstream>[0]) {
  const upstream = startUpstream(respond);
  const support: typeof import("../../support/gateway/start-gateway.ts") = await import(
    join(copy, "test/support/gateway/start-gateway.ts")
  );
  const gateway = support.startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: ["secret"], models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), RetryTimes: "0" },
  });
  return {
    upstream,
    chat: (body: object) =>
      gateway.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hello" }], ...body }),
    [Symbol.dispose]() {
      gateway.stop();
      upstream.stop();
    },
  };
}

test("a provider is its own file or folder, and the registry", () => {
  const files = blocks.map(({ path }) => path);
  expect(new Set(files)).toEqual(
    new Set([
      "src/providers/hosts/acme.ts",
      "src/providers/labs/beacon/codec.ts",
      "src/providers/labs/beacon/beacon.ts",
      "src/providers/registry.ts",
    ]),
  );
});

test("a service that speaks OpenAI's format is a file of at most 40 lines", () => {
  const lines = blocks.find(({ path }) => path.endsWith("acme.ts"))?.text.split("\n").length ?? 0;
  expect(lines).toBeGreaterThan(5);
  expect(lines).toBeLessThanOrEqual(40);
});

test("calls reach the service that speaks OpenAI's format", async () => {
  const reply = {
    id: "1",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  };
  using started = await startWith(1901, "acme-large", () => Response.json(reply));
  const response = await started.chat({ temperature: 1.4, logit_bias: { "1": 2 } });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-sluice-dropped")).toBe("logit_bias");
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: "Hi" } }] });
  const [sent] = started.upstream.received;
  expect(sent?.path).toBe("/v1/chat/completions");
  expect(sent?.headers.get("authorization")).toBe("Bearer secret");
  const body = JSON.parse(sent?.text ?? "");
  expect(body.temperature).toBe(1);
  expect(body).not.toHaveProperty("logit_bias");
});

test("calls reach the service with its own format", async () => {
  using started = await startWith(1902, "lighthouse-1", () => Response.json({ answer: "Ahoy", done: true }));
  const response = await started.chat({ temperature: 0.5 });
  expect(await response.json()).toMatchObject({
    choices: [{ message: { content: "Ahoy" }, finish_reason: "stop" }],
  });
  const [sent] = started.upstream.received;
  expect(sent?.path).toBe("/answer");
  expect(sent?.headers.get("x-beacon-key")).toBe("secret");
  expect(JSON.parse(sent?.text ?? "")).toEqual({
    engine: "lighthouse-1",
    prompt: "Hello",
    temperature: 0.5,
    stream: false,
  });
});

test("streams of the service with its own format are translated", async () => {
  const events = ['{"answer":"Ah","done":false}', '{"answer":"oy","done":true}'].map((data) => `data: ${data}\n\n`);
  const headers = { "content-type": "text/event-stream" };
  using started = await startWith(1902, "lighthouse-1", () => new Response(events.join(""), { headers }));
  const text = await (await started.chat({ stream: true })).text();
  const pieces = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data = ""]) => JSON.parse(data));
  expect(pieces.map(({ choices }) => choices[0]?.delta?.content ?? "").join("")).toBe("Ahoy");
  expect(text).toEndWith("data: [DONE]\n\n");
});
