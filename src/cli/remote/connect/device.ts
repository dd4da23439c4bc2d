import { numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createSafeFetch, type SafeResponse } from "../../../lib/outbound/safe-fetch.ts";
import { SiteError } from "../management-client.ts";

/** A model that a key may use, with its limits in tokens; null: unknown. */
export type OfferedModel = Readonly<{ id: string; contextWindow: number | null; outputLimit: number | null }>;

const request = createSafeFetch(createAddressPolicy(true));
const CALL_TIMEOUT_MS = 120_000;

async function send(url: string, body: object | null, key?: string, accept?: string): Promise<SafeResponse> {
  const headers = {
    ...(accept && { accept }),
    ...(key && { authorization: `Bearer ${key}` }),
    ...(body && { "content-type": "application/json" }),
  };
  try {
    return await request(url, {
      ...{ method: body ? "POST" : "GET", headers, timeoutMs: CALL_TIMEOUT_MS },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw new SiteError(`${url} can't be reached: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const membersOf = (response: SafeResponse): Record<string, unknown> => recordOf(parseJson(response.text())) ?? {};

const REFUSALS: Readonly<Record<string, string>> = {
  access_denied: "the request was denied in the console",
  expired_token: "the code has expired; start again",
};

/** Has its user confirm a code in the console, and resolves with the key. `say` shows what to do. Rejects SiteError. */
export async function signIn(
  url: string,
  who: Readonly<{ client: string; machine: string }>,
  say: (text: string) => void,
): Promise<string> {
  const started = await send(`${url}/api/device/code`, who);
  const codes = membersOf(started);
  const [deviceCode, userCode, page] = [codes.device_code, codes.user_code, codes.verification_uri_complete].map(
    textOf,
  );
  if (!(deviceCode && userCode && page)) {
    throw new SiteError(textOf(codes.message) ?? `${url} is no gateway's address: status ${started.status}`);
  }
  say(`Open ${page.startsWith("/") ? url : ""}${page}\nand confirm the code ${userCode}\n`);
  let waitMs = (numberOf(codes.interval) ?? 5) * 1000;
  for (;;) {
    await Bun.sleep(waitMs);
    const answer = membersOf(await send(`${url}/api/device/token`, { device_code: deviceCode }));
    const key = textOf(answer.access_token);
    if (key) return key;
    const error = textOf(answer.error) ?? "";
    if (error === "slow_down") waitMs += 5000;
    else if (error !== "authorization_pending") throw new SiteError(REFUSALS[error] ?? `no key was given: ${error}`);
  }
}

/** Gives a key back that `signIn` got. Rejects SiteError. */
export async function giveBack(url: string, key: string): Promise<void> {
  const { status } = await send(`${url}/api/device/revoke`, { token: key });
  if (status !== 200) throw new SiteError(`the key could not be given back: status ${status}`);
}

/** The models that the key may use. Rejects SiteError. */
export async function listModels(url: string, key: string): Promise<OfferedModel[]> {
  const response = await send(`${url}/v1/models`, null, key);
  if (response.status !== 200) throw new SiteError(`the models can't be read: ${reasonOf(response)}`);
  return recordsOf(membersOf(response).data).flatMap((model) => {
    const id = textOf(model.id);
    return id === null
      ? []
      : [
          {
            id,
            contextWindow: numberOf(model.context_length),
            outputLimit: numberOf(recordOf(model.top_provider)?.max_completion_tokens),
          },
        ];
  });
}

/** Makes one small call; null: it worked, else why not. */
export async function testCall(url: string, key: string, model: string): Promise<string | null> {
  const messages = [{ role: "user", content: "Answer with the word ok." }];
  const response = await send(`${url}/v1/chat/completions`, { model, messages, max_tokens: 64 }, key);
  return response.status === 200 ? null : reasonOf(response);
}

/** MCP servers refuse clients that do not accept both. */
const MCP_TYPES = "application/json, text/event-stream";

/** How many tools the gateway's MCP servers list for the key; a text: why they can't be listed. Rejects SiteError. */
export async function countTools(url: string, key: string): Promise<number | string> {
  const response = await send(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/list" }, key, MCP_TYPES);
  const tools = recordOf(membersOf(response).result)?.tools;
  return Array.isArray(tools) ? tools.length : reasonOf(response);
}

function reasonOf(response: SafeResponse): string {
  const message = textOf(recordOf(membersOf(response).error)?.message);
  return message ?? `status ${response.status}`;
}
