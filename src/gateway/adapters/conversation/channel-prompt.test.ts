/** Effects of a channel's settings on requests: its instructions, and bodies passed through unchanged. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../../test/support/gateway/start-upstream.ts";
import { parseJson, recordOf } from "../../../formats/json.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const PLAIN = [{ role: "user", content: "Hi" }];
const LED = [{ role: "system", content: "Be kind." }, ...PLAIN];

function start(setting: Record<string, unknown>, type = 1) {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const modelMapping = new Map([["gpt-4o", "other"]]);
  const relay = startRelay({ channels: [{ type, baseUrl: upstream.url, setting, modelMapping }] });
  stops.push(relay.stop, upstream.stop);
  const sent = async (path: string, body: object) => {
    await relay.post(path, body);
    return recordOf(parseJson(upstream.received.at(-1)?.text ?? "")) ?? {};
  };
  return { relay, upstream, sent };
}

test.each([
  [PLAIN, false, "Be brief."],
  [LED, false, "Be kind."],
  [PLAIN, true, "Be brief."],
  [LED, true, "Be brief.\n\nBe kind."],
])("the channel's instructions with %j (always: %p)", async (messages, always, expected) => {
  const { sent } = start({ system_prompt: "Be brief.", system_prompt_override: always });
  expect((await sent("/v1/chat/completions", { model: "gpt-4o", messages })).messages).toEqual([
    { role: "system", content: expected },
    ...PLAIN,
  ]);
});

test("a client of the upstream's own format gets them, too", async () => {
  const { sent } = start({ system_prompt: "Be brief." }, 14);
  const body = await sent("/v1/messages", { model: "gpt-4o", max_tokens: 99, messages: PLAIN });
  expect(JSON.stringify(body.system)).toContain("Be brief.");
});

test("a body passes through unchanged where the channel says so", async () => {
  const body = { model: "gpt-4o", messages: PLAIN, unheard_of: 1 };
  const open = start({ pass_through_body_enabled: true });
  expect(await open.sent("/v1/chat/completions", body)).toEqual(body);
  expect(await start({}).sent("/v1/chat/completions", body)).toEqual({ ...body, model: "other" });
});
