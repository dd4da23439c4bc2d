import { type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import type { RequestRules } from "../../../formats/request-rules.ts";

/** Ids in a request: of files, of collections and the like, and of parts of earlier answers. */
export type References = Readonly<{ files: Set<string>; objects: Set<string>; parts: Set<string> }>;

/**
 * The members of all formats that name something stored: by its id, by several, or as an object with an `id`. What they are
 * looked up as decides how the call is routed, not who may: that holds for all alike.
 */
export const REFERENCE_MEMBERS: ReadonlyMap<string, keyof References> = new Map([
  ["file_id", "files"],
  ["file_ids", "files"],
  ["input_file_id", "files"],
  ["training_file", "files"],
  ["validation_file", "files"],
  ["conversation", "objects"],
  ["container", "objects"],
  ["container_id", "objects"],
  ["vector_store_id", "objects"],
  ["vector_store_ids", "objects"],
  // Google's context caches and environments, and prompts that were saved at OpenAI.
  ["cachedContent", "objects"],
  ["cached_content", "objects"],
  ["environment", "objects"],
  ["prompt", "objects"],
]);

/** Texts of such members that are no ids: the kinds of computers that a tool may use. */
const NO_IDS: ReadonlySet<string> = new Set("auto browser linux mac none ubuntu windows".split(" "));

/** Members that name something stored only as an object with an `id`: their texts are names or data. */
const OBJECT_MEMBERS: ReadonlySet<string> = new Set(["audio", "voice", "prompt"]);

/** References that a module of its own resolves, to what the caller has stored and to nothing else. */
export const RESOLVED_ELSEWHERE: Readonly<Record<string, string>> = {
  previous_response_id: "responses/resume.ts",
  previous_interaction_id: "responses/resume.ts",
  thread: "message-threads.ts, by previous_message_id",
  previous_message_id: "message-threads.ts",
  task_id: "tasks, by the caller's own tasks",
  taskId: "tasks, by the caller's own tasks",
  continue_clip_id: "tasks/music.ts",
  ids: "tasks, by the caller's own tasks",
  // Within the path's own object, which only its owner reaches.
  part_ids: "files/routes.ts",
  eval_id: "evals/routes.ts",
};

/** Members whose names end alike and that name nothing stored. */
export const NO_REFERENCES: Readonly<Record<string, string>> = {
  id: "of the part itself, but for item references and the objects above",
  call_id: "a tool call within the request",
  tool_call_id: "a tool call within the request",
  tool_use_id: "a tool call within the request",
  custom_id: "the client's name of a line",
  customId: "a button of a drawing, which its task names",
  user_id: "the client's name of its user",
  item_id: "an item of the same session",
  previous_item_id: "an item of the same session",
  event_id: "the client's name of an event",
  response_id: "a response of the same session",
  model_id: "a model",
  handle: "a session of the same connection",
};

/** Members whose values are the client's own names in every format. */
const FREE: ReadonlySet<string> = new Set("metadata attributes parameters arguments schema json_schema".split(" "));

/**
 * The references in these parts of a request, at any depth; null if there are none. Members whose values have names that the
 * client chooses, by `rules` of its format too, are left out.
 */
export function findReferences(
  values: readonly unknown[],
  rules: Pick<RequestRules, "members"> | null = null,
): References | null {
  const references: References = { files: new Set(), objects: new Set(), parts: new Set() };
  const isFreeByName = rules?.members.isFreeByName;
  const open = [...values];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (Array.isArray(node)) {
      for (const item of node) {
        if (typeof item !== "object" || item === null) continue;
        if (typeof item.id === "string" && isItemReference(item)) addIds(references.parts, item.id);
        open.push(item);
      }
      continue;
    }
    const item = node as JsonObject;
    for (const name in item) {
      const value: unknown = item[name];
      if (value == null) continue;
      const kind = kindOf(name);
      if (OBJECT_MEMBERS.has(name)) addIds(references[kind ?? "parts"], recordOf(value)?.id);
      else if (kind) addIds(references[kind], recordOf(value)?.id ?? value);
      if (typeof value === "object" && !FREE.has(name) && isFreeByName?.get(name) !== true) open.push(value);
    }
  }
  const { files, objects, parts } = references;
  return files.size + objects.size + parts.size > 0 ? references : null;
}

/** Members that no format of ours has count too, by their names. */
function kindOf(name: string): keyof References | undefined {
  const kind = REFERENCE_MEMBERS.get(name);
  if (kind !== undefined) return kind;
  const endsLikeId = (name.endsWith("d") || name.endsWith("s")) && /(?:_ids?|Ids?)$/.test(name);
  const isReference = endsLikeId && !Object.hasOwn(NO_REFERENCES, name) && !Object.hasOwn(RESOLVED_ELSEWHERE, name);
  return isReference ? "parts" : undefined;
}

/** Whether an item with an id is a reference: OpenAI's Responses take `{id}` alone as well. */
const isItemReference = (item: JsonObject): boolean =>
  item.type === "item_reference" ||
  (item.type == null && Object.keys(item).every((name) => name === "id" || name === "type"));

function addIds(ids: Set<string>, value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    const id = textOf(one);
    if (id && !NO_IDS.has(id)) ids.add(id);
  }
}
