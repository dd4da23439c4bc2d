import { ECHO, ECHO_MODELS } from "./echo-upstream.ts";
import { GUARDED_MODELS, type Guards } from "./guards.ts";
import { type HostileParts, hostileParts } from "./hostile/hostile-calls.ts";

/** Who is called; replaced when a gateway is restarted. */
export type Targets = { urls: string[]; key: string };

export type Traffic = Readonly<{
  /** Request ids of answers that arrived whole. */
  delivered: readonly string[];
  calls: number;
  aborted: number;
  /** How many calls failed, by status or kind of failure. */
  failures: ReadonlyMap<string, number>;
}>;

/** Models and how often they are called: mostly sound ones. */
const MIX: readonly (readonly [model: string, weight: number])[] = [
  ["gpt-4o", 30],
  ["paced-30-10", 15],
  ["words-400", 6],
  ["gzip", 4],
  ["slow-400", 4],
  ["rescued", 6],
  ["err-500", 2],
  ["err-429", 2],
  ["dies-after-3", 3],
  ["silent-after-3", 2],
  ["html", 2],
  ["not-json", 1],
  ["empty-body", 1],
  ["other-json", 1],
  ["bad-stream", 1],
  ["huge", 1],
  ...GUARDED_MODELS.map((model) => [model, 6] as const),
  [ECHO.cached, 30],
  [ECHO.sent, 4],
  [ECHO.stored, 6],
];
const TOTAL_WEIGHT = MIX.reduce((sum, [, weight]) => sum + weight, 0);
/** Models that only answer as streams, or never as such. */
const STREAMED = /^(paced|words|dies|silent|bad-stream)/;
const COMPLETE = /^(huge|html|not-json|empty-body|other-json|gzip|rescued)/;

/** Calls that say what no database can index or store, in every place a caller has: some are served, most are refused. */
const HOSTILE_SHARE = 0.2;
const HOSTILE_MODELS = 0.5;

/** So many requests of models that echo differ; each is sent again and again. */
const ECHOED = 12;

const CALL_TIMEOUT_MS = 20_000;
const ABORTED_SHARE = 0.06;
const LONGEST_PAUSE_MS = 60;
const RECONNECT_MS = 250;

/** Clients that call one after the other until `stop`; some leave in the middle of an answer. */
export function startClients(count: number, targets: Targets, guards: Guards) {
  const delivered: string[] = [];
  const failures = new Map<string, number>();
  const run = `soak-${Bun.randomUUIDv7().slice(-8)}`;
  let [calls, aborted] = [0, 0];
  let isOver = false;

  const client = async () => {
    while (!isOver) {
      calls += 1;
      const id = `${run}-${calls}`;
      const leavesAfterMs = Math.random() < ABORTED_SHARE ? Math.random() * 300 : null;
      const outcome = await call(targets, id, leavesAfterMs, guards);
      if (outcome === "delivered") delivered.push(id);
      else if (leavesAfterMs !== null && outcome === "left") aborted += 1;
      else failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
      // A gateway that restarts is unreachable for a second or two.
      await Bun.sleep(outcome === "no connection" ? RECONNECT_MS : Math.random() * LONGEST_PAUSE_MS);
    }
  };
  const clients = Array.from({ length: count }, client);
  return {
    /** Resolves when every call that was begun has ended. */
    async stop(): Promise<Traffic> {
      isOver = true;
      await Promise.all(clients);
      return { delivered, calls, aborted, failures };
    },
  };
}

/** The answer of another request. */
export const FOREIGN = "foreign answer";

/** "delivered": the whole answer came. "left": this client left. Else what went wrong. */
async function call(targets: Targets, id: string, leavesAfterMs: number | null, guards: Guards): Promise<string> {
  const { urls, key } = targets;
  const hostile = Math.random() < HOSTILE_SHARE ? hostileParts(Math.random) : null;
  if (hostile && Math.random() < HOSTILE_MODELS) return callUnknown(targets, hostile);
  const model = chooseModel();
  const stream = STREAMED.test(model) || (!COMPLETE.test(model) && Math.random() < 0.5);
  const url = urls[Math.floor(Math.random() * urls.length)];
  const content = ECHO_MODELS.some((echo) => echo === model)
    ? `say ${Math.floor(Math.random() * ECHOED)}!`
    : "hello there";
  const leaves = AbortSignal.timeout(Math.max(1, Math.round(leavesAfterMs ?? CALL_TIMEOUT_MS)));
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      signal: leaves,
      headers: {
        ...hostile?.headers,
        ...(model === ECHO.sent && { "x-provider-key": "openai sk-a-key-of-the-soak" }),
        ...{ authorization: `Bearer ${key}`, "content-type": "application/json", "x-request-id": id },
      },
      body: JSON.stringify({ ...hostile?.body, model, stream, messages: [{ role: "user", content }] }),
    });
    const text = await answer.text();
    guards.judge(model, id, answer.status, text);
    if (answer.status !== 200) return String(answer.status);
    if (!isComplete(text, stream)) return "broken off";
    return content.startsWith("say") && !text.includes(`"${content}"`) ? FOREIGN : "delivered";
  } catch {
    if (!leaves.aborted) return "no connection";
    return leavesAfterMs === null ? "no answer in time" : "left";
  }
}

/** A call of a model that nobody has, by OpenAI's or Gemini's path: it must be refused. */
async function callUnknown({ urls, key }: Targets, { model, headers, body }: HostileParts): Promise<string> {
  const url = urls[Math.floor(Math.random() * urls.length)];
  const isGemini = Math.random() < 0.5;
  const path = isGemini
    ? `/v1beta/models/${encodeURIComponent(model.toWellFormed())}:generateContent`
    : "/v1/chat/completions";
  const own = isGemini
    ? { contents: [{ role: "user", parts: [{ text: "hello" }] }] }
    : { model, messages: [{ role: "user", content: "hello" }] };
  try {
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, ...own }),
    });
    await answer.text();
    return `hostile ${answer.status}`;
  } catch {
    return "no connection";
  }
}

const isComplete = (text: string, stream: boolean): boolean =>
  stream ? text.trimEnd().endsWith("data: [DONE]") && !text.includes('{"error"') : text.includes('"usage"');

function chooseModel(): string {
  let at = Math.random() * TOTAL_WEIGHT;
  for (const [model, weight] of MIX) {
    at -= weight;
    if (at < 0) return model;
  }
  return "gpt-4o";
}

/** Models of the usual fake upstream, and those of both. */
export const HEALTHY_MODELS = MIX.map(([model]) => model).filter(
  (model) => !/^(echo-.*|html|not-json|empty-body|other-json|bad-stream|huge)$/.test(model),
);
