import { type JsonObject, listOf, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import type { McpTool } from "../connection.ts";
import { RESERVED_HEADERS } from "../definition.ts";
import type { Operation, Parameter } from "./operation.ts";
import { References, UnusableError } from "./schemas.ts";

const METHODS = ["get", "head", "post", "put", "patch", "delete"] as const;
const VISIBLE = /^[\x21-\x7e]{1,128}$/;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** The OpenAPI document leaves them to other parts of it (section 4.8.12.1), or they are the gateway's. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set([...RESERVED_HEADERS, "authorization"]);
const FORM = "application/x-www-form-urlencoded";

/** Values of the schemas of all operations. */
const MOST_VALUES = 200_000;

/** The tools of a document, and how many of its operations cannot be offered. */
export type DocumentTools = Readonly<{ tools: readonly McpTool[]; skipped: number }>;

/** Makes each operation of a document a tool, at most `most`; names are unique. */
export function readTools(document: JsonObject, most: number): DocumentTools {
  const tools = new Map<string, McpTool>();
  let skipped = 0;
  let values = 0;
  for (const [path, item] of Object.entries(recordOf(document.paths) ?? {})) {
    for (const method of METHODS) {
      const references = new References(document);
      try {
        const shared = references.follow(item);
        const source = recordOf(shared?.[method]);
        if (!shared || !source) continue;
        if (tools.size >= most || values > MOST_VALUES) throw new UnusableError("there are too many");
        const tool = toolOf(references, { path, method, shared, source, taken: tools });
        tools.set(tool.name, tool);
      } catch (error) {
        if (!(error instanceof UnusableError)) throw error;
        skipped += 1;
      } finally {
        values += references.read;
      }
    }
  }
  return { tools: [...tools.values()], skipped };
}

type Source = Readonly<{
  path: string;
  method: (typeof METHODS)[number];
  /** The path's item. */
  shared: JsonObject;
  source: JsonObject;
  taken: ReadonlyMap<string, unknown>;
}>;

function toolOf(references: References, { path, method, shared, source, taken }: Source): McpTool {
  // The server's credentials go to its own address alone.
  if (shared.servers !== undefined || source.servers !== undefined) throw new UnusableError("it has its own servers");
  if (!path.startsWith("/")) throw new UnusableError("the path is none");
  const input = new Input(references);
  for (const parameter of parametersOf(references, shared, source)) input.addParameter(parameter);
  if (source.requestBody !== undefined) input.addBody(references.follow(source.requestBody));
  const operation: Operation = { method: method.toUpperCase(), path, parameters: input.parameters, body: input.body };
  for (const [, name] of path.matchAll(/\{([^{}]*)\}/g))
    if (!operation.parameters.some((each) => each.place === "path" && each.name === name))
      throw new UnusableError("a part of the path is not described");
  const texts = [source.summary, source.description].flatMap((text) => textOf(text)?.trim() || []);
  const isRead = method === "get" || method === "head";
  return {
    name: nameOf(textOf(source.operationId), method, path, taken),
    description: [...new Set(texts)].join("\n\n") || null,
    inputSchema: input.schema(),
    annotations: {
      readOnlyHint: isRead,
      ...(!isRead && { destructiveHint: method !== "post", idempotentHint: method === "put" || method === "delete" }),
    },
    operation,
  };
}

function nameOf(id: string | null, method: string, path: string, taken: ReadonlyMap<string, unknown>): string {
  const own = `${method}_${path}`.replace(/[^A-Za-z0-9]+/g, "_").replace(/_+$/, "");
  for (const name of [id ?? "", own]) if (VISIBLE.test(name) && !taken.has(name)) return name;
  throw new UnusableError("its name is taken");
}

/** The parameters of an operation, which replace those of its path by place and name. */
function parametersOf(references: References, shared: JsonObject, source: JsonObject): readonly JsonObject[] {
  const all = [...recordsOf(shared.parameters), ...recordsOf(source.parameters)].flatMap((each): JsonObject[] =>
    listOf(references.follow(each)),
  );
  return [...new Map(all.map((each) => [`${each.in} ${each.name}`, each])).values()];
}

/** Collects what an operation takes as one schema. */
class Input {
  readonly parameters: Parameter[] = [];
  body: Operation["body"] = null;
  readonly #properties: JsonObject = {};
  readonly #required: string[] = [];

  constructor(private readonly references: References) {}

  schema(): JsonObject {
    return {
      ...{ type: "object", properties: this.#properties },
      ...(this.#required.length > 0 && { required: this.#required }),
      additionalProperties: false,
    };
  }

  addParameter({ name, in: place, required, ...source }: JsonObject): void {
    const called = textOf(name) ?? "";
    const isRequired = required === true || place === "path";
    if (place === "cookie") {
      if (isRequired) throw new UnusableError("it needs a cookie");
      return;
    }
    if (called === "" || (place !== "path" && place !== "query" && place !== "header"))
      throw new UnusableError("a parameter is unknown");
    if (place === "header" && (IGNORED_HEADERS.has(called.toLowerCase()) || !HEADER.test(called))) return;
    const [media] = Object.values(recordOf(source.content) ?? {});
    const isJson = media !== undefined;
    const style = textOf(source.style) ?? (place === "query" ? "form" : "simple");
    const explode = typeof source.explode === "boolean" ? source.explode : style === "form";
    const member = this.#add(called, place, isJson ? recordOf(media)?.schema : source.schema, source.description);
    this.parameters.push({ name: called, place, member, style, explode, isJson, isRequired });
    if (isRequired) this.#required.push(member);
  }

  addBody(source: JsonObject | null): void {
    const content = recordOf(source?.content) ?? {};
    const types = Object.keys(content);
    const isRequired = source?.required === true;
    const isJson = (type: string) => /^application\/(?:[\w.-]+\+)?json\b/i.test(type);
    const type =
      types.find(isJson) ?? types.find((each) => each === FORM) ?? types.find((each) => /^text\//.test(each));
    if (type === undefined) {
      if (isRequired) throw new UnusableError("its body is neither JSON, form nor text");
      return;
    }
    const schema = recordOf(content[type])?.schema ?? (isJson(type) ? {} : { type: "string" });
    const member = this.#add("body", "body", schema, source?.description);
    this.body = { member, type, isRequired };
    if (isRequired) this.#required.push(member);
  }

  /** Names a member, apart from a parameter of the same name elsewhere. */
  #add(name: string, place: string, schema: unknown, description: unknown): string {
    const member = Object.hasOwn(this.#properties, name) ? `${place}_${name}` : name;
    if (Object.hasOwn(this.#properties, member) || member === "__proto__") throw new UnusableError("a name is taken");
    const resolved = this.references.schema(schema);
    const text = textOf(description)?.trim();
    this.#properties[member] =
      typeof resolved === "object" && text && resolved.description === undefined
        ? { ...resolved, description: text }
        : resolved;
    return member;
  }
}
