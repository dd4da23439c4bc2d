import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../../test/support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  sse,
  startUpstream,
  usageChunk,
} from "../../../../../test/support/gateway/start-upstream.ts";
import { signWebhook } from "../../../../lib/security/webhook-signature.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const CHAT = "/v1/chat/completions";
const MAIL = "ann@example.org";
const SECRET = `whsec_${Buffer.from("a key of at least 24 bytes").toString("base64")}`;

type Answer = (body: Record<string, unknown>, count: number) => unknown;

/** A gateway with one guardrail whose service answers like this, and a provider that repeats the question. */
function start(definition: object, answer: Answer, { key = "k-123", config = {} } = {}) {
  const service = startUpstream(async ({ text }, _, count) => {
    const answered = await answer(JSON.parse(text), count);
    return answered instanceof Response ? answered : Response.json(answered);
  });
  const upstream = startUpstream(({ text }) => {
    const { messages, stream } = JSON.parse(text);
    const content = `You: ${messages.at(-1).content}`;
    if (stream)
      return sse(
        `${chunk({ content: content.slice(0, 7) })}${chunk({ content: content.slice(7) })}${chunk({}, {}, "stop")}${usageChunk()}${DONE}`,
      );
    return Response.json(
      chatReply({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] }),
    );
  });
  const guardrail = { kind: "service", phases: ["request"], url: `${service.url}/check`, ...definition };
  const options = {
    Guardrails: JSON.stringify({ g: guardrail }),
    GuardrailKeys: JSON.stringify({ g: { origin: service.url, key } }),
  };
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], options, config });
  stops.push(service.stop, upstream.stop, relay.stop);
  return { service, upstream, relay };
}

const ask = (content: string, fields: object = {}) => ({
  model: "gpt-4o",
  messages: [{ role: "user", content }],
  ...fields,
});

/** Each service: what it says when it finds something, and when it finds nothing. */
const SERVICES = [
  ["webhook", { verdict: "block", reason: "rude words" }, { verdict: "pass" }, "RUDE_WORDS"],
  ["litellm", { action: "BLOCKED", blocked_reason: "policy" }, { action: "NONE" }, "POLICY"],
  ["portkey", { verdict: false }, { verdict: true }, "REJECTED"],
  [
    "openai",
    { results: [{ flagged: true, category_scores: { "hate/threatening": 0.9, violence: 0.1 } }] },
    { results: [{ flagged: false, category_scores: { hate: 0.1 } }] },
    "HATE_THREATENING",
  ],
  [
    "azure",
    { categoriesAnalysis: [{ category: "Violence", severity: 4 }] },
    { categoriesAnalysis: [{ category: "Violence", severity: 0 }] },
    "VIOLENCE",
  ],
  ["bedrock", { action: "GUARDRAIL_INTERVENED", outputs: [] }, { action: "NONE" }, "INTERVENED"],
  [
    "model_armor",
    {
      sanitizationResult: {
        filterMatchState: "MATCH_FOUND",
        invocationResult: "SUCCESS",
        filterResults: {
          csam: { csamFilterFilterResult: { matchState: "NO_MATCH_FOUND" } },
          pi_and_jailbreak: { piAndJailbreakFilterResult: { matchState: "MATCH_FOUND", confidenceLevel: "HIGH" } },
        },
      },
    },
    { sanitizationResult: { filterMatchState: "NO_MATCH_FOUND", invocationResult: "SUCCESS", filterResults: {} } },
    "PI_AND_JAILBREAK",
  ],
  ["presidio", [{ entity_type: "PERSON", start: 0, end: 3, score: 0.9 }], [], "PERSON"],
  [
    "lakera",
    { flagged: true, breakdown: [{ detector_type: "prompt_attack", detected: true }] },
    { flagged: false },
    "PROMPT_ATTACK",
  ],
] as const;

describe.each([...SERVICES])("%s", (service, found, nothing, type) => {
  test("blocks what it finds, and lets the rest pass", async () => {
    const { relay, upstream, service: server } = start({ service }, (_, count) => (count === 1 ? found : nothing));
    const refused = await relay.post(CHAT, ask("Ann is here"));
    expect([refused.status, (await refused.json()).error.code]).toEqual([400, "guardrail_blocked"]);
    expect(upstream.received).toEqual([]);
    const record = await relay.billing.nextRecord();
    expect(record.quota).toBe(0);
    expect(record.other.guardrails?.verdicts).toEqual([
      {
        name: "g",
        kind: "service",
        phase: "request",
        action: "block",
        found: [{ type, count: 1 }],
        ms: expect.any(Number),
      },
    ]);
    expect((await relay.post(CHAT, ask("Ann is here"))).status).toBe(200);
    expect(server.received.every(({ text }) => text.includes("Ann is here"))).toBe(true);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("whose answer is none, or an error, counts as a failure", async () => {
    const { relay } = start({ service }, (_, count) =>
      count === 1 ? { else: 1 } : new Response("x", { status: 500 }),
    );
    for (const _ of [1, 2]) {
      const refused = await relay.post(CHAT, ask("Hi"));
      expect([refused.status, (await refused.json()).error.code]).toEqual([503, "guardrail_unavailable"]);
    }
    expect((await relay.billing.nextRecord()).other.guardrails?.verdicts[0]).toMatchObject({
      failed: "invalid_answer",
    });
  });
});

test("each service gets its key as it expects it, and a webhook is signed", async () => {
  const headersOf = async (service: string, key?: string) => {
    const made = start({ service, service_id: "gr" }, () => ({}), key === undefined ? {} : { key });
    await made.relay.post(CHAT, ask("Hi"));
    const [received] = made.service.received;
    return { path: received?.path, text: received?.text ?? "", headers: received?.headers ?? new Headers() };
  };
  for (const service of ["openai", "lakera", "bedrock", "presidio", "portkey"])
    expect((await headersOf(service)).headers.get("authorization")).toBe("Bearer k-123");
  expect((await headersOf("azure")).headers.get("ocp-apim-subscription-key")).toBe("k-123");
  expect((await headersOf("litellm")).headers.get("x-api-key")).toBe("k-123");
  expect((await headersOf("bedrock")).path).toBe("/check/guardrail/gr/version/DRAFT/apply");
  expect((await headersOf("presidio")).path).toBe("/check/analyze");
  const { headers, text } = await headersOf("webhook", SECRET);
  const [id, timestamp] = [headers.get("webhook-id") ?? "", Number(headers.get("webhook-timestamp"))];
  expect(headers.get("webhook-signature")).toBe(signWebhook(SECRET, { id, timestamp, body: text }));
  expect(text).not.toContain(SECRET);
});

test("a key goes to the server alone for which it was stored", async () => {
  const { relay, service } = start({ service: "openai", url: "http://127.0.0.1:1/" }, () => ({}));
  await relay.post(CHAT, ask("Hi"));
  const moved = start({ service: "openai" }, () => ({ results: [] }));
  const options = { GuardrailKeys: JSON.stringify({ g: { origin: service.url, key: "k" } }) };
  expect(options.GuardrailKeys).toContain(service.url);
  await moved.relay.post(CHAT, ask("Hi"));
  expect(moved.service.received[0]?.headers.get("authorization")).toBe("Bearer k-123");
  expect(service.received).toEqual([]);
});

describe("a service that does not answer", () => {
  const hangs = () => new Promise<Response>(() => {});
  test.each([
    ["open", 200],
    ["closed", 503],
  ])("when calls are %s is answered %p in time", async (on_failure, status) => {
    const { relay } = start({ service: "webhook", on_failure, timeout_ms: 60 }, hangs);
    expect((await relay.post(CHAT, ask("Hi"))).status).toBe(status);
    const record = await relay.billing.nextRecord();
    expect(record.other.guardrails?.verdicts).toMatchObject([{ failed: "timeout" }]);
    expect(record.quota).toBe(status === 200 ? 38 : 0);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("decides nothing in shadow mode", async () => {
    const { relay } = start({ service: "webhook", shadow: true, timeout_ms: 60 }, hangs);
    expect((await relay.post(CHAT, ask("Hi"))).status).toBe(200);
  });

  test("withholds an answer that it must check; the answer is charged", async () => {
    const { relay } = start({ service: "webhook", phases: ["answer"], timeout_ms: 60 }, hangs);
    const { choices } = await (await relay.post(CHAT, ask("Hi"))).json();
    expect([choices[0].message.content || null, choices[0].finish_reason]).toEqual([null, "content_filter"]);
    expect((await relay.billing.nextRecord()).quota).toBe(38);
  });
});

test("private addresses are refused unless the site allows them", async () => {
  const { relay, service } = start({ service: "webhook" }, () => ({ verdict: "pass" }), {
    config: { allowPrivateUpstreams: false },
  });
  expect((await relay.post(CHAT, ask("Hi"))).status).toBe(503);
  expect(service.received).toEqual([]);
});

describe("what a service masks", () => {
  const spans = ({ text = "" }: Record<string, unknown>) => {
    const at = String(text).indexOf(MAIL);
    // It counts characters.
    const start = [...String(text).slice(0, at)].length;
    return at < 0 ? [] : [{ entity_type: "EMAIL_ADDRESS", start, end: start + MAIL.length, score: 1 }];
  };

  test.each([false, true])("as places is restored in the answer (streamed: %p)", async (stream) => {
    const { relay, upstream } = start({ service: "presidio", action: "mask" }, spans);
    const body = await (await relay.post(CHAT, ask(`👍 to ${MAIL}!`, { stream }))).text();
    expect(upstream.received[0]?.text).toMatch(/👍 to \[EMAIL_ADDRESS_[A-Z2-7]{8}\]!/);
    const text = stream
      ? body
          .split("\n")
          .flatMap((line) =>
            /^data: \{/.test(line) ? [JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? ""] : [],
          )
          .join("")
      : JSON.parse(body).choices[0].message.content;
    expect(text).toBe(`You: 👍 to ${MAIL}!`);
  });

  test("as other texts replaces them, in the answer too", async () => {
    const masks = ({ data }: Record<string, unknown>) => {
      const { texts } = data as { texts: string[] };
      return { verdict: "mask", texts: texts.map((text) => text.replace(MAIL, "<mail>")) };
    };
    const { relay, upstream } = start({ service: "webhook", action: "mask", phases: ["request", "answer"] }, masks);
    const { choices } = await (await relay.post(CHAT, ask(`to ${MAIL}`))).json();
    expect(upstream.received[0]?.text).toContain("to <mail>");
    expect(choices[0].message.content).toBe("You: to <mail>");
  });

  test("without saying what it is, is refused", async () => {
    const { relay, upstream } = start({ service: "portkey", action: "mask" }, () => ({ verdict: false }));
    expect((await relay.post(CHAT, ask("Hi"))).status).toBe(400);
    expect(upstream.received).toEqual([]);
  });
});

test("a service sees what other guardrails have masked, not the values", async () => {
  const { relay, service } = start({ service: "webhook" }, () => ({ verdict: "pass" }));
  expect(relay).toBeDefined();
  const guardrails = {
    pii: { kind: "personal_data", action: "mask" },
    g: { kind: "service", service: "webhook", phases: ["request"], url: `${service.url}/check` },
  };
  const upstream = startUpstream(() => Response.json(chatReply()));
  const both = startRelay({
    channels: [{ baseUrl: upstream.url }],
    options: { Guardrails: JSON.stringify(guardrails) },
  });
  stops.push(upstream.stop, both.stop);
  expect((await both.post(CHAT, ask(`to ${MAIL}`))).status).toBe(200);
  expect(service.received[0]?.text).toMatch(/\[EMAIL_/);
  expect(service.received[0]?.text).not.toContain(MAIL);
});

test("the log says how long a call waited for its guardrails, its answer too", async () => {
  const { relay } = start({ service: "webhook", phases: ["request", "answer"] }, async () => {
    await Bun.sleep(20);
    return { verdict: "pass" };
  });
  expect((await relay.post(CHAT, ask("Hi"))).status).toBe(200);
  // Timers may be early by a millisecond.
  expect((await relay.billing.nextRecord()).other.guardrails?.delay_ms).toBeGreaterThanOrEqual(38);
});

test("a stream is sent only after its service has seen the complete answer", async () => {
  const { relay, service } = start({ service: "webhook", phases: ["answer"] }, ({ data }) =>
    JSON.stringify(data).includes("bad") ? { verdict: "block" } : { verdict: "pass" },
  );
  const good = await (await relay.post(CHAT, ask("good", { stream: true }))).text();
  expect(good).toContain("good");
  const bad = await (await relay.post(CHAT, ask("bad", { stream: true }))).text();
  expect(bad).not.toContain("bad");
  expect(bad).toContain("content_filter");
  expect(service.received.map(({ text }) => JSON.parse(text).data.texts)).toEqual([["You: good"], ["You: bad"]]);
});

/** What Model Armor says of a text in which Sensitive Data Protection has replaced a mail address. */
const deidentified = (text: string) => ({
  sanitizationResult: {
    filterMatchState: text.includes(MAIL) ? "MATCH_FOUND" : "NO_MATCH_FOUND",
    invocationResult: "SUCCESS",
    filterResults: {
      sdp: {
        sdpFilterResult: {
          deidentifyResult: {
            matchState: text.includes(MAIL) ? "MATCH_FOUND" : "NO_MATCH_FOUND",
            data: { text: text.replace(MAIL, "[EMAIL_ADDRESS]") },
          },
        },
      },
    },
  },
});

test("Model Armor gets a service account's token, and masks by what it has made of the text", async () => {
  const { privateKey } = await crypto.subtle
    .generateKey(
      { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" },
      true,
      ["sign", "verify"],
    )
    .then(async (pair) => ({
      privateKey: Buffer.from(await crypto.subtle.exportKey("pkcs8", pair.privateKey)).toString("base64"),
    }));
  const google = startUpstream(() => Response.json({ access_token: "ya29.token", expires_in: 3599 }));
  stops.push(google.stop);
  const key = JSON.stringify({
    client_email: "a@p.iam.gserviceaccount.com",
    private_key: `-----BEGIN PRIVATE KEY-----\n${privateKey}\n-----END PRIVATE KEY-----\n`,
    private_key_id: "1",
    token_uri: `${google.url}/token`,
  });
  const definition = { service: "model_armor", action: "mask", phases: ["request", "answer"] };
  const { relay, upstream, service } = start(
    definition,
    ({ userPromptData, modelResponseData }) => deidentified(String(Object(userPromptData ?? modelResponseData).text)),
    { key },
  );
  const { choices } = await (await relay.post(CHAT, ask(`to ${MAIL}`))).json();
  expect(JSON.parse(upstream.received[0]?.text ?? "").messages[0].content).toBe("to [EMAIL_ADDRESS]");
  expect(choices[0].message.content).toBe("You: to [EMAIL_ADDRESS]");
  expect(service.received.map(({ path }) => path)).toEqual([
    "/check:sanitizeUserPrompt",
    "/check:sanitizeModelResponse",
  ]);
  expect(service.received.map(({ headers }) => headers.get("authorization"))).toEqual(
    Array(2).fill("Bearer ya29.token"),
  );
  expect(google.received).toHaveLength(1);
});

test("a filter of Model Armor that was not run has passed nothing", async () => {
  const { relay } = start({ service: "model_armor" }, () => ({
    sanitizationResult: { filterMatchState: "NO_MATCH_FOUND", invocationResult: "PARTIAL" },
  }));
  expect((await relay.post(CHAT, ask("Hi"))).status).toBe(503);
});
