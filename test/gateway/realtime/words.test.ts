/** Words in realtime sessions: what a site does not allow is neither sent nor returned, and messages are logged where it wants that. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect, type Peer, startRealtime, startUpstream, stopAll } from "../../support/gateway/start-realtime.ts";

afterEach(stopAll);

type Event = Record<string, unknown>;
const USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const ON = { CheckSensitiveEnabled: "true", SensitiveWords: "forbidden" };
const item = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

/** Says these pieces whenever it is asked for a response, and is done at once. */
const speaker =
  (received: Event[], ...pieces: string[]) =>
  (peer: Peer, event: Event) => {
    received.push(event);
    if (event.type !== "response.create") return;
    const at = { response_id: "r", item_id: "i", output_index: 0, content_index: 0 };
    const transcript = pieces.join("");
    const send = (event: object) => peer.send(JSON.stringify(event));
    send({ type: "response.created", response: { id: "r", status: "in_progress", output: [] } });
    for (const delta of pieces) send({ type: "response.output_audio_transcript.delta", ...at, delta });
    send({ type: "response.output_audio_transcript.done", ...at, transcript });
    const content = [{ type: "output_audio", transcript }];
    const output = [{ id: "i", type: "message", role: "assistant", content }];
    send({ type: "response.done", response: { id: "r", status: "completed", output, usage: USAGE } });
  };

describe("what a client says", () => {
  test.each([
    [{ type: "session.update", session: { instructions: "be forbidden" } }],
    [{ type: "conversation.item.create", item: item("A FORBIDDEN thing") }],
    [{ type: "response.create", response: { instructions: "say forbidden" } }],
    [{ type: "response.create", response: { input: [item("forbidden")] } }],
  ])("%o is refused with a word that the site does not allow, and the session goes on", async (event) => {
    const received: Event[] = [];
    const upstream = startUpstream(speaker(received, "hello"));
    const relay = startRealtime(upstream.url, { options: ON });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ ...event, event_id: "evt_mine" });
    client.socket.send(Buffer.from(JSON.stringify(event)));
    const errors = await client.waitFor("error", 2);
    expect(client.events.find(({ type }) => type === "error")).toMatchObject({
      error: { type: "invalid_request_error", code: "sensitive_words_detected", event_id: "evt_mine" },
    });
    expect(errors.error).toMatchObject({ code: "sensitive_words_detected" });
    expect(received).toEqual([]);
    client.send({ type: "response.create" });
    await client.waitFor("response.done");
    expect(received.map(({ type }) => type)).toEqual(["response.create"]);
    const records = [];
    for (const at of [1, 2, 3]) records.push(await relay.billing.nextRecord(at));
    const verdict = { kind: "words", phase: "request", action: "block", found: [{ type: "WORD", count: 1 }] };
    // As refused requests are logged, each without a charge.
    expect(records.slice(0, 2).map(({ quota, other }) => [quota, other.status, other.guardrails?.verdicts])).toEqual(
      Array(2).fill([0, 400, [{ name: "SensitiveWords", ...verdict }]]),
    );
    expect(records[2]?.quota).toBeGreaterThan(0);
    expect(records[2]?.other.guardrails).toBeUndefined();
    expect(relay.billing.records).toHaveLength(3);
  });

  test("passes where prompts are not checked", async () => {
    const received: Event[] = [];
    const upstream = startUpstream(speaker(received, "hello"));
    const relay = startRealtime(upstream.url, { options: { ...ON, CheckSensitiveOnPromptEnabled: "false" } });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "conversation.item.create", item: item("forbidden") });
    client.send({ type: "response.create" });
    await client.waitFor("response.done");
    expect(received.map(({ type }) => type)).toEqual(["conversation.item.create", "response.create"]);
  });
});

describe("what a model says", () => {
  const startSession = async (options: Readonly<Record<string, string>>) => {
    const received: Event[] = [];
    const upstream = startUpstream(speaker(received, "this is for", "bidden", ", you see"));
    const relay = startRealtime(upstream.url, {
      options: { ...ON, CheckSensitiveOnCompletionEnabled: "true", ...options },
    });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "response.create" });
    const { response } = (await client.waitFor("response.done")) as { response: Event };
    const deltas = client.events.filter(({ type }) => String(type).endsWith(".delta"));
    const transcript = deltas.map(({ delta }) => delta).join("");
    return { received, client, relay, response, transcript };
  };

  test("is masked, everywhere", async () => {
    const { client, transcript, response, relay } = await startSession({ StopOnSensitiveEnabled: "false" });
    expect(transcript).toBe("this is **###**, you see");
    expect(JSON.stringify(client.events)).not.toMatch(/forbidden/i);
    expect(response.status).toBe("completed");
    expect((await relay.billing.nextRecord()).promptTokens).toBe(10);
  });

  test("ends with the word where the site wants that; the upstream is notified, and it is charged", async () => {
    const { received, client, transcript, response, relay } = await startSession({ StopOnSensitiveEnabled: "true" });
    expect(transcript).toBe("this is ");
    expect(response).toMatchObject({ status: "incomplete", status_details: { reason: "content_filter" } });
    expect(JSON.stringify(client.events)).not.toMatch(/forbidden|you see/i);
    expect((await relay.billing.nextRecord()).promptTokens).toBe(10);
    client.send({ type: "response.create" });
    await client.waitFor("response.done", 2);
    expect(received[1]).toMatchObject({ type: "response.cancel", response_id: "r" });
  });
});

describe("what guardrails find in what a model says", () => {
  const CARD = "4111 1111 1111 1111";
  /** Says a card's number in pieces, and calls a tool with it. */
  const caller = (received: Event[]) => (peer: Peer, event: Event) => {
    speaker(received, "The card is 4111 11", "11 1111 1111", ".")(peer, event);
    if (event.type !== "response.create") return;
    const send = (sent: object) => peer.send(JSON.stringify(sent));
    const at = { response_id: "r2", item_id: "c", output_index: 0 };
    const call = { id: "c", type: "function_call", call_id: "call_1", name: "pay" };
    const input = JSON.stringify({ card: CARD });
    send({ type: "response.created", response: { id: "r2", status: "in_progress", output: [] } });
    send({ type: "response.output_item.added", ...at, item: { ...call, arguments: "" } });
    for (const delta of [input.slice(0, 15), input.slice(15)])
      send({ type: "response.function_call_arguments.delta", ...at, delta });
    send({ type: "response.function_call_arguments.done", ...at, arguments: input });
    send({ type: "response.output_item.done", ...at, item: { ...call, arguments: input } });
    const output = [{ ...call, arguments: input }];
    send({ type: "response.done", response: { id: "r2", status: "completed", output, usage: USAGE } });
  };
  const startSession = async (rule: object) => {
    const received: Event[] = [];
    const upstream = startUpstream(caller(received));
    const relay = startRealtime(upstream.url, { options: { Guardrails: JSON.stringify({ g: rule }) } });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "response.create" });
    await client.waitFor("response.done", 2);
    const [first, second] = client.events.filter(({ type }) => type === "response.done");
    const inputs = client.events.flatMap(({ type, arguments: input }) =>
      type === "response.function_call_arguments.done" ? [input] : [],
    );
    const transcript = client.events
      .flatMap(({ type, delta }) => (type === "response.output_audio_transcript.delta" ? [delta] : []))
      .join("");
    const records = [await relay.billing.nextRecord(), await relay.billing.nextRecord()];
    return { client, first, second, inputs, transcript, records, received };
  };
  const found = [{ type: "CARD", count: 1 }];

  test("is masked in texts and in inputs of tools, and in the log of each response", async () => {
    const { client, transcript, inputs, records } = await startSession({ kind: "personal_data", action: "mask" });
    expect(transcript).toBe("The card is [CARD].");
    expect(inputs).toEqual(['{"card":"[CARD]"}']);
    expect(JSON.stringify(client.events)).not.toContain("1111");
    expect(records.map(({ other, promptTokens }) => [promptTokens, other.guardrails?.verdicts])).toEqual(
      Array(2).fill([10, [{ name: "g", kind: "personal_data", phase: "answer", action: "mask", found }]]),
    );
  });

  test("ends the response where it is blocked, which is charged", async () => {
    const { client, transcript, first, second, records, received } = await startSession({ kind: "personal_data" });
    expect(transcript).toBe("The card is ");
    for (const done of [first, second])
      expect(done?.response).toMatchObject({
        status: "incomplete",
        status_details: { reason: "content_filter" },
      });
    expect(JSON.stringify(client.events)).not.toContain("1111");
    expect(records.map(({ promptTokens }) => promptTokens)).toEqual([10, 10]);
    expect(received.filter(({ type }) => type === "response.cancel").map(({ response_id: id }) => id)).toEqual([
      "r",
      "r2",
    ]);
  });

  test("is only noted in shadow mode", async () => {
    const { transcript, inputs, records } = await startSession({ kind: "personal_data", shadow: true });
    expect(transcript).toBe(`The card is ${CARD}.`);
    expect(inputs).toEqual([JSON.stringify({ card: CARD })]);
    expect(records.map(({ other }) => other.guardrails?.verdicts[0]?.shadow)).toEqual([true, true]);
  });

  test("stands in the log where nothing waits for it: a language, and what a client says", async () => {
    const received: Event[] = [];
    const upstream = startUpstream(speaker(received, "The weather is very nice today, and it will be tomorrow."));
    const rules = {
      language: { kind: "language", languages: ["de"], phases: ["answer"] },
      mails: { kind: "personal_data", action: "mask", shadow: true },
      flags: { kind: "words", words: ["noon"], action: "flag" },
    };
    const relay = startRealtime(upstream.url, { options: { Guardrails: JSON.stringify(rules) } });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "conversation.item.create", item: item("I am ann@example.org. Is it noon?") });
    client.send({ type: "response.create" });
    await client.waitFor("response.done");
    const { other } = await relay.billing.nextRecord();
    expect(other.guardrails?.verdicts.map(({ name, phase, action, shadow }) => [name, phase, action, shadow])).toEqual([
      ["mails", "request", "mask", true],
      ["flags", "request", "flag", undefined],
      ["language", "answer", "block", true],
    ]);
    expect(other.tags).toEqual([
      ...["guardrail:shadow", "guardrail:flag", "guardrail:mails", "guardrail:flags", "guardrail:language"],
    ]);
    expect(received).toHaveLength(2);
  });

  test("is masked in the log's contents, too", async () => {
    const upstream = startUpstream(speaker([], "The card is 4111 11", "11 1111 1111", "."));
    const options = {
      LogChatContentEnabled: "true",
      Guardrails: JSON.stringify({ g: { kind: "personal_data", action: "mask" } }),
    };
    const relay = startRealtime(upstream.url, { options });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "response.create" });
    const { other } = await relay.billing.nextRecord();
    expect(other.output_content).toBe("The card is [CARD].");
  });

  test("is a tool that is not allowed", async () => {
    const { inputs, second } = await startSession({ kind: "tools", tools: ["read_*"], phases: ["answer"] });
    expect(inputs).toEqual([]);
    expect(second?.response).toMatchObject({ status: "incomplete" });
  });
});

describe("what is logged of a session", () => {
  const startSession = async (options: Readonly<Record<string, string>>) => {
    const upstream = startUpstream(speaker([], "It ", "is noon."));
    const relay = startRealtime(upstream.url, { options });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "session.update", session: { instructions: "Be brief" } });
    client.send({ type: "conversation.item.create", item: item("I am ann@example.org") });
    client.send({ type: "conversation.item.create", item: item("What time is it, and what day, and where?") });
    client.send({ type: "response.create" });
    return (await relay.billing.nextRecord()).other;
  };

  test("is each response with what led to it, cut and redacted as elsewhere", async () => {
    const stored = await startSession({
      LogChatContentEnabled: "true",
      LogContentRedactEnabled: "true",
      LogContentMaxCharacters: "100",
    });
    expect(stored).toMatchObject({
      system_prompt: "Be brief",
      context: '[{"role":"user","content":"I am [email]"}]',
      input_content: "What time is it, and what day, and where?",
      output_content: "It is noon.",
    });
  });

  test("is nothing unless the site wants it", async () => {
    const stored = await startSession({});
    for (const field of ["system_prompt", "context", "input_content", "output_content"])
      expect(stored).not.toHaveProperty(field);
  });
});
