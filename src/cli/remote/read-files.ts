import { readFileSync } from "node:fs";
import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseAllDocuments } from "yaml";
import { recordOf } from "../../formats/json.ts";
import { messageOf } from "../../lib/runtime/error-message.ts";

/** Something in a file is wrong. */
export type FileProblem = Readonly<{
  file: string;
  /** From 1; 0: the file as such. */
  line: number;
  /** `channels[2].models`; empty: no field's affair. */
  field: string;
  message: string;
}>;

/** Where the site says that something is wrong. */
export type Spot = Readonly<{ section: string; at: number | string | null; field: string | null }>;

/** The files as one document. */
export type LoadedFiles = Readonly<{
  document: Readonly<Record<string, unknown>>;
  /** What they say of their label; null: nothing. */
  label: string | null;
  problems: readonly FileProblem[];
  /** The place of what the site refuses. */
  placeOf(spot: Spot): Pick<FileProblem, "file" | "line" | "field">;
}>;

type Source = Readonly<{ file: string; lines: LineCounter }>;
/** An entry of a section: its value, where it stands, and the node in which its fields do. */
type Placed = Readonly<{ source: Source; node: Node | null; line: number; index: number }>;

const LABEL = /^[A-Za-z0-9._-]{1,60}$/;

/** Reads YAML or JSON files and merges them: lists are joined, and a name belongs to one file. `env` resolves references. */
export async function readFiles(
  files: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedFiles> {
  const merge = new Merge();
  for (const file of files) merge.add(file, await readText(file, merge));
  return merge.finish(env);
}

async function readText(file: string, merge: Merge): Promise<string> {
  try {
    return file === "-" ? await Bun.stdin.text() : await Bun.file(file).text();
  } catch (error) {
    merge.report({ file, line: 0, field: "", message: messageOf(error) });
    return "";
  }
}

class Merge {
  readonly #problems: FileProblem[] = [];
  readonly #lists = new Map<string, { value: unknown; placed: Placed }[]>();
  readonly #maps = new Map<string, Map<string, { value: unknown; placed: Placed }>>();
  readonly #sections = new Map<string, Placed>();
  #label: string | null = null;

  report(problem: FileProblem): void {
    this.#problems.push(problem);
  }

  /** Adds a file; it may have several documents. */
  add(file: string, text: string): void {
    const lines = new LineCounter();
    const source = { file, lines };
    const parsed = parseAllDocuments(text, { lineCounter: lines, merge: true });
    for (const document of Array.isArray(parsed) ? parsed : []) {
      for (const { message, pos } of document.errors) {
        this.report({
          file,
          line: lineAt(source, pos[0]),
          field: "",
          message: message.split("\n")[0]?.replace(/ at line.*$/, "") ?? message,
        });
      }
      if (document.errors.length > 0 || document.contents === null) continue;
      const values = recordOf(document.toJS());
      if (!values || !isMap(document.contents)) {
        this.report({ file, line: 1, field: "", message: "a file is a map of sections, such as channels and options" });
        continue;
      }
      for (const { key, value } of document.contents.items) {
        if (!isScalar(key)) continue;
        const section = String(key.value);
        const line = lineOf(source, key);
        const placed = { source, node: value, line, index: 0 };
        if (section === "$schema") continue;
        if (section === "label") this.#setLabel(placed, values[section]);
        else this.#addSection(section, placed, values[section]);
      }
    }
  }

  finish(env: Readonly<Record<string, string | undefined>>): LoadedFiles {
    const document: Record<string, unknown> = {};
    for (const [section, entries] of this.#lists) {
      document[section] = entries.map(({ value, placed }, at) =>
        this.#resolve(value, env, placed, [`${section}[${at}]`]),
      );
    }
    for (const [section, entries] of this.#maps) {
      const values = [...entries].map(([name, { value, placed }]) => [
        name,
        this.#resolve(value, env, placed, [section, name]),
      ]);
      document[section] = Object.fromEntries(values);
    }
    return { document, label: this.#label, problems: this.#problems, placeOf: (spot) => this.#placeOf(spot) };
  }

  #setLabel({ source, line }: Placed, value: unknown): void {
    const label = typeof value === "string" ? value : "";
    const problem = (message: string) => this.report({ file: source.file, line, field: "label", message });
    if (!LABEL.test(label)) problem("a label has 1 to 60 letters, digits, and . _ -");
    else if (this.#label !== null && this.#label !== label) problem(`another file has the label ${this.#label}`);
    else this.#label = label;
  }

  #addSection(section: string, placed: Placed, value: unknown): void {
    const { source, node } = placed;
    if (!this.#sections.has(section)) this.#sections.set(section, placed);
    if (Array.isArray(value) && isSeq(node)) {
      const list = this.#lists.get(section) ?? [];
      this.#lists.set(section, list);
      const earlier = new Map(list.map((entry) => [identityOf(entry.value), entry.placed]));
      for (const [index, item] of value.entries()) {
        const own = node.items[index];
        const entryNode = isNode(own) ? own : null;
        const place = { source, node: entryNode, line: lineOf(source, entryNode), index };
        const first = earlier.get(identityOf(item));
        // Within a file, namesakes are distinguished by their order.
        if (first && first.source.file !== source.file) this.#reportTwice(`${section}[${index}].name`, place, first);
        list.push({ value: item, placed: place });
      }
      return;
    }
    const record = recordOf(value);
    if (record && isMap(node)) {
      const map = this.#maps.get(section) ?? new Map();
      this.#maps.set(section, map);
      for (const pair of node.items) {
        const name = isScalar(pair.key) ? String(pair.key.value) : "";
        const place = {
          source,
          node: isNode(pair.value) ? pair.value : null,
          line: lineOf(source, isNode(pair.key) ? pair.key : null),
          index: 0,
        };
        const first = map.get(name);
        if (first) this.#reportTwice(`${section}.${name}`, place, first.placed);
        map.set(name, { value: record[name], placed: place });
      }
      return;
    }
    // An empty section says nothing.
    if (value === null) return;
    this.report({
      file: source.file,
      line: placed.line,
      field: section,
      message: "a section is a list or a map of entries",
    });
  }

  #reportTwice(field: string, { source, line }: Placed, first: Placed): void {
    const message = `it is also in ${first.source.file}:${first.line}: a name belongs to one file`;
    this.report({ file: source.file, line, field, message });
  }

  /** The value with what references name; `$${env:` is no reference. */
  #resolve(
    value: unknown,
    env: Readonly<Record<string, string | undefined>>,
    placed: Placed,
    path: readonly string[],
  ): unknown {
    if (typeof value === "string") return this.#resolveText(value, env, placed, path);
    if (Array.isArray(value)) return value.map((item, at) => this.#resolve(item, env, placed, [...path, String(at)]));
    const record = recordOf(value);
    if (!record) return value;
    return Object.fromEntries(
      Object.entries(record).map(([name, item]) => [name, this.#resolve(item, env, placed, [...path, name])]),
    );
  }

  #resolveText(
    text: string,
    env: Readonly<Record<string, string | undefined>>,
    placed: Placed,
    path: readonly string[],
  ): string {
    return text.replace(REFERENCE, (reference, escaped: string | undefined, kind: string, name: string) => {
      if (escaped) return reference.slice(1);
      try {
        return kind === "env" ? readVariable(name, env) : readSecretFile(name);
      } catch (error) {
        const inner = path.slice(path[0]?.endsWith("]") ? 1 : 2);
        const line = lineOf(placed.source, findNode(placed.node, inner)) || placed.line;
        this.report({ file: placed.source.file, line, field: path.join("."), message: messageOf(error) });
        return reference;
      }
    });
  }

  #placeOf({ section, at, field }: Spot): Pick<FileProblem, "file" | "line" | "field"> {
    const parts = (field ?? "").split(/[.[\]/]+/).filter(Boolean);
    const placed =
      (typeof at === "number" ? this.#lists.get(section)?.[at]?.placed : undefined) ??
      (at === null ? undefined : this.#maps.get(section)?.get(String(at))?.placed) ??
      this.#sections.get(section) ??
      this.#sections.get(parts[0] ?? "");
    const entry =
      typeof at === "number" ? `${section}[${placed?.index ?? at}]` : at === null ? section : `${section}.${at}`;
    const isSection = at === null && this.#sections.has(parts[0] ?? "") && !this.#sections.has(section);
    const name = isSection ? (parts[0] ?? "") : [entry, ...parts].join(".");
    if (!placed) return { file: "", line: 0, field: name };
    const line = at === null ? placed.line : lineOf(placed.source, findNode(placed.node, parts)) || placed.line;
    return { file: placed.source.file, line, field: name };
  }
}

const REFERENCE = /(\$)?\$\{(env|file):([^}]+)\}/g;

function readVariable(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name];
  if (value === undefined || value === "") throw new Error(`the variable ${name} is not set`);
  return value;
}

function readSecretFile(path: string): string {
  return readFileSync(path, "utf8").replace(/\r?\n$/, "");
}

/** What tells an entry of a list from others: entries of different files must differ. */
function identityOf(entry: unknown): string {
  const { name, owner, event, period, per, subject, organization, scope, target } = recordOf(entry) ?? {};
  return JSON.stringify([name, owner, event, period, per, subject, organization, scope, target]);
}

const isNode = (value: unknown): value is ParsedNode => typeof value === "object" && value !== null && "range" in value;

/** The node of a field, or of the last part of the path that is there: its key, where it has one. */
function findNode(node: Node | null, path: readonly string[]): Node | null {
  let found: Node | null = null;
  let inner: unknown = node;
  for (const part of path) {
    if (isMap(inner)) {
      const pair = inner.items.find(({ key }) => isScalar(key) && String(key.value) === part);
      if (!isPair(pair) || !isNode(pair.key)) break;
      found = pair.key;
      inner = pair.value;
    } else if (isSeq(inner) && isNode(inner.items[Number(part)])) {
      inner = inner.items[Number(part)];
      if (isNode(inner)) found = inner;
    } else break;
  }
  return found ?? node;
}

const lineOf = (source: Source, node: Node | null): number => (node?.range ? lineAt(source, node.range[0]) : 0);

const lineAt = ({ lines }: Source, offset: number): number => lines.linePos(offset).line;
