import { type JsonObject, recordOf } from "../../../../formats/json.ts";
import { ReasonedError } from "../../../../lib/reason.ts";
import type { Operation, Parameter } from "./operation.ts";

/** The caller's arguments do not make a request. */
export class ArgumentError extends ReasonedError {
  override name = "ArgumentError";
}

/** A request for an operation, without the server's credentials. */
export type OperationRequest = Readonly<{
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}>;

/** Writes a tool's input as a request below the server's address. Throws ArgumentError. */
export function buildRequest(
  base: URL,
  { method, path, parameters, body }: Operation,
  input: JsonObject,
): OperationRequest {
  const headers: Record<string, string> = { accept: "application/json, text/*;q=0.9, */*;q=0.5" };
  const query: string[] = [];
  const segments = new Map<string, string>();
  for (const parameter of parameters) {
    const value = input[parameter.member];
    if (value === undefined || value === null) {
      if (parameter.isRequired) throw new ArgumentError({ code: "mcp_argument_missing", params: nameOf(parameter) });
      continue;
    }
    if (parameter.place === "query") query.push(...queryOf(parameter, value));
    else if (parameter.place === "path") segments.set(parameter.name, encodeURIComponent(simple(parameter, value)));
    else headers[parameter.name.toLowerCase()] = headerOf(parameter, value);
  }
  const url = new URL(base);
  const above = url.pathname.replace(/\/+$/, "");
  url.pathname = above + pathOf(path, segments);
  // The address may have a query of its own, such as a version.
  url.search = [url.search.slice(1), ...query].filter((part) => part !== "").join("&");
  const content = body ? contentOf(body, input[body.member]) : undefined;
  if (content !== undefined && body) headers["content-type"] = body.type;
  return { url, method, headers, body: content };
}

const nameOf = ({ member }: Pick<Parameter, "member">) => ({ name: member });
const invalid = (member: string) => new ArgumentError({ code: "mcp_argument_invalid", params: { name: member } });

/** The path with its parameters; none of them leads to another path. */
function pathOf(template: string, values: ReadonlyMap<string, string>): string {
  return template
    .split("/")
    .map((part) => {
      const written = part.replace(/\{([^{}]*)\}/g, (_, name) => values.get(name) ?? "");
      const isChanged = written !== part;
      if (isChanged && (written === "" || written === "." || written === "..")) throw invalid(part.slice(1, -1));
      return written;
    })
    .join("/");
}

function headerOf(parameter: Parameter, value: unknown): string {
  const text = simple(parameter, value);
  // Field values of RFC 9110, section 5.5, in ASCII.
  if (!/^[\x20-\x7e\t]*$/.test(text)) throw invalid(parameter.member);
  return text;
}

const scalar = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** The styles "simple", "label" and "matrix" as "simple", which nearly all documents mean. */
function simple({ explode, isJson }: Parameter, value: unknown): string {
  if (isJson) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(scalar).join(",");
  const record = recordOf(value);
  if (!record) return scalar(value);
  return Object.entries(record)
    .map(([key, item]) => `${key}${explode ? "=" : ","}${scalar(item)}`)
    .join(",");
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

function queryOf({ name, style, explode, isJson }: Parameter, value: unknown): readonly string[] {
  const pair = (key: string, item: unknown) => `${encodeURIComponent(key)}=${encodeURIComponent(scalar(item))}`;
  if (isJson) return [pair(name, JSON.stringify(value))];
  const record = recordOf(value);
  if (record && style === "deepObject")
    return Object.entries(record).map(([key, item]) => pair(`${name}[${key}]`, item));
  if (record && explode) return Object.entries(record).map(([key, item]) => pair(key, item));
  const items = Array.isArray(value) ? value : record ? Object.entries(record).flat() : null;
  if (!items) return [pair(name, value)];
  if (explode) return items.map((item) => pair(name, item));
  const joined = items.map((item) => encodeURIComponent(scalar(item))).join(SEPARATORS[style] ?? ",");
  return [`${encodeURIComponent(name)}=${joined}`];
}

function contentOf({ member, type, isRequired }: NonNullable<Operation["body"]>, value: unknown): string | undefined {
  if (value === undefined) {
    if (isRequired) throw new ArgumentError({ code: "mcp_argument_missing", params: { name: member } });
    return undefined;
  }
  if (/json/i.test(type)) return JSON.stringify(value);
  const record = recordOf(value);
  if (type.includes("form") && record) {
    const pairs = Object.entries(record).flatMap(([key, item]) =>
      (Array.isArray(item) ? item : [item]).map((each) => [key, scalar(each)]),
    );
    return new URLSearchParams(pairs).toString();
  }
  return scalar(value);
}
