import { parseJson, recordOf, textOf } from "../../../src/formats/json.ts";
import type { Session } from "../../../test/support/e2e/console-client.ts";
import type { Finding } from "../audit.ts";
import type { Targets } from "../clients.ts";
import { HEALTHY, HOSTILE, type startHostileServers } from "./hostile-servers.ts";

/** What calls of tools came to: by ids of requests. */
export type ToolTraffic = Readonly<{
  delivered: readonly string[];
  /** Answered with an error, so nothing may be charged. */
  refused: readonly string[];
  outcomes: ReadonlyMap<string, number>;
  findings: readonly Finding[];
}>;

type Outcome = "delivered" | "refused" | "left" | "no connection" | "no answer in time" | "mixed up";

/** Quota units of a call, and the same in dollars. */
export const TOOL_PRICE = 1_000;
const TOOL_USD = "0.002";
const [HEALTHY_SHARE, LEAVES_SHARE, CANCELS_SHARE] = [0.5, 0.06, 0.06];
const [CALL_TIMEOUT_MS, TOOL_TIMEOUT_MS, PAUSE_MS, RECONNECT_MS] = [20_000, 2_000, 40, 250];

/** Adds the servers, with their tools approved as they are listed now. Returns what lists those of one again. */
export async function addHostileServers(
  root: Session,
  { urlOf }: ReturnType<typeof startHostileServers>,
): Promise<number> {
  let changing = 0;
  for (const name of [...HEALTHY, ...HOSTILE]) {
    const server = { url: urlOf(name), usd_per_call: TOOL_USD, timeout_ms: TOOL_TIMEOUT_MS, elicitation: true };
    const { id } = await root.post("/api/mcp-server/", { name, server });
    const tools: { name: string; hash: string }[] = await root.get(`/api/mcp-server/${id}/tools`);
    const approved = tools.filter((tool) => tool.name === "act").map((tool) => ({ name: tool.name, hash: tool.hash }));
    await root.post(`/api/mcp-server/${id}/tools/approve`, { tools: approved });
    if (name === "changes") changing = id;
  }
  return changing;
}

/** Clients that call tools of healthy and hostile servers one after the other until `stop`; some leave or cancel in the middle. */
export function startToolClients(count: number, targets: Targets, servers: ReturnType<typeof startHostileServers>) {
  const byOutcome: Record<Outcome, string[]> = {
    ...{ delivered: [], refused: [], left: [], "no connection": [], "no answer in time": [], "mixed up": [] },
  };
  const outcomes = new Map<string, number>();
  let [calls, isOver] = [0, false];
  const client = async () => {
    const session = `f-${crypto.randomUUID()}`;
    while (!isOver) {
      calls += 1;
      const names = Math.random() < HEALTHY_SHARE ? HEALTHY : HOSTILE;
      const name = names[Math.floor(Math.random() * names.length)] ?? "plain";
      const id = `tool-${Bun.randomUUIDv7()}`;
      const outcome = await callTool(targets, { id, name, session, number: calls });
      byOutcome[outcome].push(id);
      outcomes.set(`${name} ${outcome}`, (outcomes.get(`${name} ${outcome}`) ?? 0) + 1);
      await Bun.sleep(outcome === "no connection" ? RECONNECT_MS : Math.random() * PAUSE_MS);
    }
  };
  const clients = Array.from({ length: count }, client);
  return {
    /** Resolves when every call that was begun has ended. */
    async stop(): Promise<ToolTraffic> {
      isOver = true;
      await Promise.all(clients);
      const { delivered, refused } = byOutcome;
      const findings = [
        { name: "tool calls with the result of another", expected: 0, found: byOutcome["mixed up"].length },
        { name: "tool calls that had no answer in time", expected: 0, found: byOutcome["no answer in time"].length },
        { name: "redirects that were followed elsewhere", expected: 0, found: servers.seen.strayed },
        { name: "calls of tools that changed", expected: 0, found: servers.seen.executedChanged },
      ];
      return { delivered, refused, outcomes, findings };
    },
  };
}

type ToolCall = Readonly<{ id: string; name: string; session: string; number: number }>;

async function callTool(targets: Targets, call: ToolCall): Promise<Outcome> {
  const { id, name, number } = call;
  const share = Math.random();
  const leavesAfterMs = share < LEAVES_SHARE ? Math.ceil(Math.random() * 300) : null;
  const leaves = AbortSignal.timeout(leavesAfterMs ?? CALL_TIMEOUT_MS);
  const params = { name: "act", arguments: { id } };
  if (share > 1 - CANCELS_SHARE) {
    const cancel = { method: "notifications/cancelled", params: { requestId: number } };
    void Bun.sleep(Math.random() * 300).then(() => post(targets, call, cancel).catch(() => {}));
  }
  try {
    const reply = await post(targets, call, { id: number, method: "tools/call", params }, leaves);
    let text = "";
    let answered = 0;
    for await (const part of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const questions = [...text.matchAll(/^data: (.*"elicitation\/create".*)\n/gm)];
      for (const [, question = ""] of questions.slice(answered)) await answer(targets, call, question);
      answered = questions.length;
    }
    const last = text.includes("\ndata: ") ? text.slice(text.lastIndexOf("\ndata: ") + 7) : text;
    const message = recordOf(parseJson(last));
    // Nothing answers a call that was canceled.
    if (!message || (message.method !== undefined && message.id !== undefined)) return "left";
    const result = recordOf(message.result);
    if (!result || result.isError === true) return "refused";
    return JSON.stringify(result).includes(`did ${id}`) || name === "asks-without-end" ? "delivered" : "mixed up";
  } catch {
    if (!leaves.aborted) return "no connection";
    return leavesAfterMs === null ? "no answer in time" : "left";
  }
}

/** Answers a question of a server, at any of the gateways. */
async function answer(targets: Targets, call: ToolCall, question: string): Promise<void> {
  const { id, params } = recordOf(parseJson(question)) ?? {};
  const own = /tool-[0-9a-f-]{36}/.exec(textOf(recordOf(params)?.message) ?? "")?.[0];
  const result = { action: "accept", content: { id: own ?? "" } };
  await post(targets, call, { id, result }).catch(() => {});
}

function post(
  { urls, key }: Targets,
  { id, name, session }: ToolCall,
  message: object,
  signal = AbortSignal.timeout(5_000),
) {
  const url = urls[Math.floor(Math.random() * urls.length)];
  return fetch(`${url}/mcp/${name}`, {
    ...{ method: "POST", signal },
    headers: {
      ...{ authorization: `Bearer ${key}`, "content-type": "application/json", "mcp-session-id": session },
      ...{ accept: "application/json, text/event-stream", "x-request-id": id },
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}
