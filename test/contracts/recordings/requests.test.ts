/** Every recorded request, sent again in its own format: the service gets it as it was recorded, or it is known what changes. */
import { describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf } from "../../../src/formats/json.ts";
import { type Recording, recordings, startRecorded } from "./recording.ts";

/** Members that change, by recording, and why. */
const CHANGES: readonly (readonly [path: RegExp, member: RegExp, why: string])[] = [
  [/^xai\//, /^max_(completion_)?tokens$/, "the newer of two names for the same limit"],
  [/^vertex\/gemini/, /^safetySettings$/, "thresholds that the operator sets"],
  [/./, /^stream_options$/, "the usage of a stream is asked for"],
  [
    /^mistral\//,
    /^(stream|tools\[\d\]\.type|\w+_penalty|stop|messages\[\d\]\.tool_calls)$/,
    "null, false, empty or implied",
  ],
  [/^mistral\//, /^(tool_choice|messages\[\d\]\.content)$/, "another spelling of the same"],
  [/^(vertex\/predict|bedrock-invoke)\//, /^(system|messages\[\d\]\.content)$/, "a text as a block"],
  [
    /^vertex\/predict/,
    /^(anthropic_version|stream|model|tool_choice\.disable_parallel_tool_use)$/,
    "what the URL says, or the default",
  ],
  [/^bedrock-invoke\//, /^(model|stream)$/, "what the URL says"],
  [/^glm\//, /^(thinking|reasoning_effort)$/, "GLM's own switch, and the reasoning of agents is kept"],
  [/^vllm-like\//, /^(enable_thinking|chat_template_kwargs)$/, "a switch of the chat template"],
  [/^deepseek\/json-reasoning\.2/, /^messages\[\d\]\.reasoning$/, "the same as reasoning_content"],
  [/^openrouter\//, /^(provider|models)$/, "which the gateway obeys itself"],
  [/^openrouter\//, /^messages\[\d\]\.role$/, "developer is system there"],
];

const sendable = recordings.flatMap((recording) => {
  const sent = clientRequest(recording);
  return recording.status === 200 && sent ? [[recording.path, recording, sent] as const] : [];
});

/** The recorded request as a client of its format sends it; null: no client has that format, or it was recorded in part. */
function clientRequest({ kind, request, url, model }: Recording): readonly [path: string, body: JsonObject] | null {
  const isStream = /stream/i.test(url);
  const isComplete = request.messages !== undefined || request.input !== undefined || request.contents !== undefined;
  if (!isComplete || /countTokens/.test(url)) return null;
  if (kind === "chat") return ["/v1/chat/completions", request];
  if (kind === "responses") return ["/v1/responses", request];
  if (kind === "messages") return ["/v1/messages", { ...request, model, ...(isStream && { stream: true }) }];
  if (kind !== "gemini") return null;
  return [`/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`, request];
}

/** Paths of members in which two values differ. */
function differences(one: unknown, other: unknown, path = ""): string[] {
  if (Bun.deepEquals(one, other)) return [];
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.flatMap((value, at) => differences(value, other[at], `${path}[${at}]`));
  const [first, second] = [recordOf(one), recordOf(other)];
  if (!first || !second) return [path];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].flatMap((name) => differences(first[name], second[name], path === "" ? name : `${path}.${name}`));
}

describe.skipIf(recordings.length === 0)("recorded request", () => {
  test.each(sendable)("%s", async (path, recording, [clientPath, body]) => {
    const { relay, upstream, stop } = startRecorded(recording);
    const response = await relay.post(clientPath, body);
    const sent = recordOf(parseJson(upstream.received[0]?.text ?? ""));
    const dropped = response.headers.get("x-sluice-dropped")?.split(", ") ?? [];
    stop();
    expect(response.status).toBe(200);
    const isKnown = (member: string) =>
      dropped.includes(member) || CHANGES.some(([where, names]) => where.test(path) && names.test(member));
    expect(differences(sent, recording.request).filter((member) => !isKnown(member))).toEqual([]);
  });

  test("most recordings in formats that clients have are sent", () => {
    expect(sendable.length).toBeGreaterThan(80);
  });
});
