import { sse, startUpstream } from "../../support/gateway/start-upstream.ts";

type Json = Record<string, unknown>;

/** (700 input + 20 tools) and (300 output + 100 reasoning). */
export const INTERACTION_USAGE = {
  total_input_tokens: 700,
  total_output_tokens: 300,
  total_thought_tokens: 100,
  total_tool_use_tokens: 20,
  total_cached_tokens: 200,
  total_tokens: 1_120,
};

let made = 0;

const refused = (status: number, code: string, message: string) =>
  Response.json({ error: { code, message } }, { status });

/**
 * Google's Interactions API as documented (https://ai.google.dev/api/interactions-api): stores what it makes under the key
 * that made it, and answers with `steps`; one in the background is done once `finish` was called.
 */
export function startInteractions(steps: readonly Json[], usage: Json = INTERACTION_USAGE) {
  const stored = new Map<string, Json & { key: string | null }>();
  const shown = ({ key: _, ...interaction }: Json): Json => interaction;
  const done = { status: "completed", steps, usage };

  function create(body: Json, key: string | null): Response {
    const { model, input, previous_interaction_id: previous, background, stream, store } = body;
    if (typeof model !== "string" || input == null)
      return refused(400, "invalid_request", "“model” and “input” are required.");
    if (typeof previous === "string" && stored.get(previous)?.key !== key) {
      return refused(404, "not_found", `Interaction ${previous} not found.`);
    }
    const times = { created: "2026-11-26T10:00:00Z", updated: "2026-11-26T10:00:01Z" };
    const begun = { id: `v1_native${++made}`, object: "interaction", model, ...times, status: "in_progress" };
    const interaction = { ...begun, ...(background !== true && done), key };
    if (store !== false) stored.set(begun.id, interaction);
    if (stream !== true) return Response.json(shown(interaction));
    return sse(eventsOf(begun, background === true ? null : { ...begun, ...done }));
  }

  const eventsOf = (begun: Json, end: Json | null): string => writeEvents(begun, end, steps).join("");

  const upstream = startUpstream(({ path, headers, text }, request) => {
    const key = headers.get("x-goog-api-key");
    if (!key) return refused(401, "unauthenticated", "API key not valid.");
    if (path === "/v1beta/interactions" && request.method === "POST") return create(JSON.parse(text), key);
    const [, id = "", action] = /^\/v1beta\/interactions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const interaction = stored.get(id);
    if (interaction?.key !== key) return refused(404, "not_found", `Interaction ${id} not found.`);
    if (action) interaction.status = "cancelled";
    if (request.method === "DELETE") {
      stored.delete(id);
      return Response.json({});
    }
    if (new URL(request.url).searchParams.get("stream") === "true")
      return sse(eventsOf(shown(interaction), shown(interaction)));
    return Response.json(shown(interaction));
  });
  const finish = (id: string) => Object.assign(stored.get(id) ?? {}, done);
  return { ...upstream, stored, finish };
}

/** The events of an interaction that is completed at once. */
export function interactionEvents(steps: readonly Json[]): string[] {
  const begun = { id: "v1_native", object: "interaction", model: "gemini-3.5-flash", status: "in_progress" };
  return writeEvents(begun, { ...begun, status: "completed", usage: INTERACTION_USAGE }, steps);
}

function writeEvents(begun: Json, end: Json | null, steps: readonly Json[]): string[] {
  const list: Json[] = [
    { event_type: "interaction.created", interaction: begun },
    { event_type: "interaction.status_update", interaction_id: begun.id, status: "in_progress" },
  ];
  if (end) {
    list.push(...steps.flatMap(deltasOf));
    const { steps: _, ...rest } = end;
    list.push({ event_type: "interaction.completed", interaction: rest });
  }
  const written = list.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`);
  return [...written, "event: done\ndata: [DONE]\n\n"];
}

/** The events of one step, its content in pieces. */
function deltasOf(step: Json, index: number): Json[] {
  const { summary, signature, content, arguments: input, ...head } = step;
  const deltas: Json[] = [];
  for (const block of Array.isArray(summary) ? summary : []) deltas.push({ type: "thought_summary", content: block });
  if (signature) deltas.push({ type: "thought_signature", signature });
  for (const block of Array.isArray(content) ? content : []) {
    if (block.type !== "text") deltas.push(block);
    else for (const text of String(block.text).match(/.{1,4}/gs) ?? []) deltas.push({ type: "text", text });
  }
  if (input)
    for (const piece of JSON.stringify(input).match(/.{1,5}/gs) ?? [])
      deltas.push({ type: "arguments_delta", arguments: piece });
  return [
    { event_type: "step.start", index, step: { ...head, ...(step.type === "function_call" && { arguments: {} }) } },
    ...deltas.map((delta) => ({ event_type: "step.delta", index, delta })),
    { event_type: "step.stop", index },
  ];
}
