import type { Finding } from "./audit.ts";

/** What each model's guardrail is: its service decides before or after the call, and fails open or closed. */
const RULES = {
  "guarded-open": { on_failure: "open", phases: ["request", "answer"] },
  "guarded-closed": { on_failure: "closed", phases: ["request"] },
  "guarded-answer": { on_failure: "closed", phases: ["answer"] },
} as const;
type GuardedModel = keyof typeof RULES;

export const GUARDED_MODELS = Object.keys(RULES) as readonly GuardedModel[];
const isGuarded = (model: string): model is GuardedModel => model in RULES;

/** How long a call waits for the service. */
const TIMEOUT_MS = 400;
/** How often, and for how long, nobody listens. */
const [UP_MS, DOWN_MS] = [2_500, 700];
const HUGE_BYTES = 6 * 1024 * 1024;

type Question = Readonly<{ data: Readonly<{ phase: string; request_id: string; texts: readonly string[] }> }>;

/** What the service does: it passes, blocks, or fails in a way that must not be taken for an answer. */
const CONDUCT: Readonly<Record<string, (question: Question) => Response | Promise<Response>>> = {
  pass: () => Response.json({ verdict: "pass" }),
  slow: async () => {
    await Bun.sleep(TIMEOUT_MS * 3);
    return Response.json({ verdict: "pass" });
  },
  error: () => new Response("no", { status: 500 }),
  "not-json": () => new Response("<html>pass</html>"),
  "other-json": () => Response.json({ verdict: "PASS" }),
  "too-few-texts": () => Response.json({ verdict: "mask", texts: [] }),
  huge: () => new Response(JSON.stringify({ verdict: "pass", padding: "x".repeat(HUGE_BYTES) })),
  moved: () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:9/" } }),
  cut: () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"verdict": "pa')),
      pull: (controller) => controller.error(new Error("cut")),
    });
    return new Response(body, { headers: { "content-length": "100" } });
  },
};
const FAILURES = Object.keys(CONDUCT).filter((name) => name !== "pass");
const PASS_SHARE = 0.5;

/** Part of what the upstream answers. */
const ANSWER = "measures water";

/** A guardrail's service that is slow, lies, breaks off or is away, and what its rules make of the calls that need it. */
export function startGuards() {
  /** What the service did last for a call, by its id and phase. */
  const conduct = new Map<string, string>();
  const counts = { open: 0, leaked: 0, passed: 0, judged: 0 };
  const refused: string[] = [];
  const listen = (port: number) =>
    Bun.serve({
      ...{ port, hostname: "127.0.0.1", idleTimeout: 0, development: false },
      async fetch(request) {
        const question = (await request.json()) as Question;
        const { phase, request_id: id } = question.data;
        const chosen = FAILURES[Math.floor(Math.random() * FAILURES.length)] ?? "error";
        const name = Math.random() < PASS_SHARE ? "pass" : chosen;
        conduct.set(`${id} ${phase}`, name);
        return CONDUCT[name]?.(question) ?? new Response("no", { status: 500 });
      },
    });
  let server = listen(0);
  const { port = 0 } = server;
  let isOver = false;
  const outages = (async () => {
    while (!isOver) {
      await Bun.sleep(UP_MS);
      await server.stop(true);
      await Bun.sleep(DOWN_MS);
      server = listen(port);
    }
  })();
  return {
    /** The option that holds the rules. */
    rules: Object.fromEntries(
      Object.entries(RULES).map(([model, rule]) => [
        model,
        {
          ...{ kind: "service", service: "webhook", url: `http://127.0.0.1:${port}/`, timeout_ms: TIMEOUT_MS },
          ...{ models: [model], ...rule },
        },
      ]),
    ),
    /** Judges how a call ended; `text`: what its client got. */
    judge(model: string, id: string, status: number, text: string): void {
      if (!isGuarded(model)) return;
      counts.judged += 1;
      const wasRefused = text.includes("guardrail_unavailable") || text.includes("guardrail_blocked");
      const isOpen = model === "guarded-open";
      if (isOpen && wasRefused) counts.open += 1;
      if (wasRefused) refused.push(id);
      const phase = RULES[model].phases[0];
      // A gateway that ended in between may have sent a request for a call whose client has no answer.
      const isFailure = conduct.get(`${id} ${phase}`) !== "pass";
      if (!isOpen && status === 200 && isFailure && text.includes(ANSWER)) counts.leaked += 1;
      if (!isOpen && status === 200 && text.includes(ANSWER)) counts.passed += 1;
    },
    /** Ids of calls that were refused, which cost nothing. */
    refused: refused as readonly string[],
    get findings(): readonly Finding[] {
      return [
        { name: "calls refused by a rule that is open", expected: 0, found: counts.open },
        { name: "calls that passed a closed rule without a verdict", expected: 0, found: counts.leaked },
        { name: "guarded calls were judged, and some passed", expected: 1, found: Number(counts.passed > 0) },
        { name: "some guarded calls were refused", expected: 1, found: Number(refused.length > 0) },
      ];
    },
    get counts(): string {
      return `${counts.judged} guarded calls, ${refused.length} refused, ${counts.passed} passed closed rules`;
    },
    async stop(): Promise<void> {
      isOver = true;
      await outages;
      await server.stop(true);
    },
  };
}

export type Guards = ReturnType<typeof startGuards>;
