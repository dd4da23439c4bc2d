import { parse as parseToml, stringify as stringifyToml } from "smol-toml";
import { parseDocument } from "yaml";
import { type JsonObject, recordOf } from "../../../formats/json.ts";
import type { AgentFile } from "./agents.ts";

/** A value at a path; undefined: nothing is there. */
export type Setting = Readonly<{
  path: readonly string[];
  value?: unknown;
  /** A list is put before the one that is there; other values stay where there are any. */
  adds?: boolean;
}>;

/** A file can't be edited without a loss; the message says why. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** The text of a file with these settings, and what was there before. An empty text is a new file. Throws SettingsError. */
export function editSettings(
  format: AgentFile["format"],
  text: string,
  settings: readonly Setting[],
): { text: string; before: Setting[] } {
  switch (format) {
    case "json":
      return editJson(text, settings);
    case "yaml":
      return editYaml(text, settings);
    case "toml":
      return editToml(text, settings);
    case "env":
      return editEnv(text, settings);
  }
}

function editJson(text: string, settings: readonly Setting[]) {
  let parsed: unknown;
  try {
    parsed = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new SettingsError("it has comments or is no JSON, so it would lose something");
  }
  const root = recordOf(parsed);
  if (!root) throw new SettingsError("it is no JSON object");
  const indent = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  const before = settings.map(({ path }) => settingOf(path, valueAt(root, path)));
  const edited = settings.reduce<JsonObject>((object, { path, value }) => withValue(object, path, value), root);
  return { text: `${JSON.stringify(edited, null, indent)}\n`, before };
}

function editYaml(text: string, settings: readonly Setting[]) {
  const document = parseDocument(text);
  if (document.errors[0]) throw new SettingsError(document.errors[0].message.split("\n")[0] ?? "it is no YAML");
  const root = recordOf(document.toJS() ?? {});
  if (!root) throw new SettingsError("it is no YAML map");
  const before = settings.map(({ path }) => settingOf(path, valueAt(root, path)));
  for (const { path, value, adds } of settings) {
    const present = valueAt(root, path);
    if (value === undefined) document.deleteIn(path);
    else if (!adds || present === undefined) document.setIn(path, document.createNode(value));
    else if (Array.isArray(value) && Array.isArray(present))
      document.setIn(path, document.createNode([...value, ...present]));
  }
  const isEmpty = Object.keys(recordOf(document.toJS()) ?? {}).length === 0;
  return { text: isEmpty ? "" : document.toString({ lineWidth: 0 }), before };
}

/** Root keys and keys of tables, one a line: comments and all else stay as they are. */
function editToml(text: string, settings: readonly Setting[]) {
  const root = readToml(text);
  const before = settings.map(({ path }) => settingOf(path, valueAt(root, path)));
  let lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  for (const { path, value } of settings) lines = withTomlLine(lines, path.slice(0, -1), path.at(-1) ?? "", value);
  const edited = lines.length === 0 ? "" : `${lines.join("\n").replace(/^\n+|\n+$/g, "")}\n`;
  const expected = settings.reduce<JsonObject>((object, { path, value }) => withValue(object, path, value), root);
  // What was written in a way that lines do not show, such as an inline table, is found here.
  if (!Bun.deepEquals(readToml(edited), expected))
    throw new SettingsError("it is written in a way that can't be edited");
  return { text: edited, before };
}

function readToml(text: string): JsonObject {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(parseToml(text)));
    return recordOf(copy) ?? {};
  } catch (error) {
    throw new SettingsError(error instanceof Error ? (error.message.split("\n")[0] ?? "") : "it is no TOML");
  }
}

function withTomlLine(lines: readonly string[], table: readonly string[], key: string, value: unknown): string[] {
  const header = table.length > 0 ? `[${table.join(".")}]` : null;
  const isHeader = (line: string) => /^\s*\[/.test(line);
  const start = header === null ? 0 : lines.findIndex((line) => line.trim() === header) + 1;
  const line =
    value === undefined
      ? null
      : `${key} = ${stringifyToml({ key: value })
          .trim()
          .replace(/^key = /, "")}`;
  if (header !== null && start === 0) return line === null ? [...lines] : [...lines, "", header, line];
  const rest = lines.slice(start);
  const length = rest.findIndex(isHeader);
  const end = start + (length === -1 ? rest.length : length);
  const own = lines.slice(start, end);
  const at = own.findIndex((each) => new RegExp(`^\\s*${key}\\s*=`).test(each));
  const edited =
    line === null
      ? own.filter((_, index) => index !== at)
      : at === -1
        ? [...own.slice(0, lastFilled(own)), line, ...own.slice(lastFilled(own))]
        : own.map((each, index) => (index === at ? line : each));
  // A table that has nothing left goes with its header.
  const isRemoved = header !== null && edited.every((each) => each.trim() === "");
  const head = lines.slice(0, isRemoved ? start - 1 : start);
  const spaced = header === null && length === 0 && line !== null ? [...edited, ""] : edited;
  return [...head, ...(isRemoved ? [] : spaced), ...lines.slice(end)];
}

/** After the last line that says something. */
const lastFilled = (lines: readonly string[]): number => lines.findLastIndex((line) => line.trim() !== "") + 1;

function editEnv(text: string, settings: readonly Setting[]) {
  let lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const before: Setting[] = [];
  for (const { path, value } of settings) {
    const name = path[0] ?? "";
    const at = lines.findIndex((line) => new RegExp(`^\\s*(?:export\\s+)?${name}=`).test(line));
    const was = lines[at];
    before.push(settingOf(path, was === undefined ? undefined : was.slice(was.indexOf("=") + 1)));
    const line = `${name}=${String(value)}`;
    if (value === undefined) lines = lines.filter((_, index) => index !== at);
    else if (at === -1) lines = [...lines, line];
    else lines = lines.map((each, index) => (index === at ? line : each));
  }
  return { text: lines.length === 0 ? "" : `${lines.join("\n")}\n`, before };
}

const settingOf = (path: readonly string[], value: unknown): Setting => ({
  path,
  ...(value !== undefined && { value }),
});

function valueAt(object: JsonObject, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path) value = recordOf(value)?.[name];
  return value;
}

/** The object with a value at the path; undefined takes it away, and objects that are empty then. */
function withValue(object: JsonObject, [name = "", ...rest]: readonly string[], value: unknown): JsonObject {
  const { [name]: old, ...others } = object;
  const inner = rest.length === 0 ? value : withValue(recordOf(old) ?? {}, rest, value);
  const isRemoved =
    inner === undefined || (rest.length > 0 && value === undefined && Object.keys(recordOf(inner) ?? {}).length === 0);
  if (isRemoved) return Object.hasOwn(object, name) && value === undefined ? others : object;
  return Object.hasOwn(object, name)
    ? Object.fromEntries(Object.entries(object).map(([key, each]) => [key, key === name ? inner : each]))
    : { ...object, [name]: inner };
}
