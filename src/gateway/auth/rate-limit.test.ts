/** Which endpoints a site offers, and to whom. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(options: Record<string, string>) {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, models: ["gpt-4o"] }], options });
  stops.push(relay.stop, upstream.stop);
  return relay;
}
const ASK = { model: "gpt-4o", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };
const PATHS = {
  openai: "/v1/chat/completions",
  responses: "/v1/responses",
  anthropic: "/v1/messages",
  drawing: "/mj/submit/imagine",
  music: "/suno/submit/music",
};
/** Endpoints that are refused because the site does not offer them. */
async function closed(options: Record<string, string>) {
  const relay = start(options);
  const found: string[] = [];
  for (const [name, path] of Object.entries(PATHS)) {
    const headers = name === "anthropic" ? { "x-api-key": "sk-test" } : undefined;
    const response = await relay.post(path, { ...ASK, input: "Hi", prompt: "Hi" }, { ...(headers && { headers }) });
    const text = await response.text();
    if (response.status === 403 && /turned off|disabled|not offer|switched off/i.test(text)) found.push(name);
  }
  return found;
}

describe("a site offers", () => {
  const ON = { DrawingEnabled: "true", TaskEnabled: "true" };
  test.each<[string, Record<string, string>, string[]]>([
    ["all endpoints that are on", ON, []],
    ["none of OpenAI's that are off", { ...ON, OpenAIEndpointEnabled: "false" }, ["openai", "responses"]],
    ["none of Anthropic's that are off", { ...ON, ClaudeEndpointEnabled: "false" }, ["anthropic"]],
    ["no drawing where that is off", { ...ON, DrawingEnabled: "false" }, ["drawing"]],
    ["no other tasks where those are off", { ...ON, TaskEnabled: "false" }, ["music"]],
  ])("%s", async (_, options, expected) => {
    expect(await closed(options)).toEqual(expected);
  });
});

test.each<[string | null, boolean]>([
  [null, false],
  ["https://chat.example", false],
  ["https://extension.example", true],
  ["chrome-extension://abcdef", true],
  ["moz-extension://abcdef", true],
  ["extension", false],
])("a page at %p is refused where extensions are blocked: %p", async (origin, isRefused) => {
  const headers = { authorization: "Bearer sk-test", ...(origin !== null && { origin }) };
  const ask = async (isBlocking: boolean) => {
    const relay = start({ "global.block_browser_extension_enabled": String(isBlocking) });
    const response = await relay.post(PATHS.openai, ASK, { headers });
    return [response.status, (await response.text()).includes("browser_extension_blocked")];
  };
  expect(await ask(false)).toEqual([200, false]);
  expect(await ask(true)).toEqual(isRefused ? [403, true] : [200, false]);
});
