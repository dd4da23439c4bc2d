import { parseSync } from "oxc-parser";

/** A function in the source. `name` includes its class or the function around it; `line` counts from 1. */
export type TracedFunction = Readonly<{ file: string; name: string; line: number }>;

/** The global function that instrumented code calls with the index of the function it enters. */
export const ENTER = "__traceEnter";

type Node = Readonly<{ type: string; start: number; end: number }> & Readonly<Record<string, unknown>>;

/**
 * Inserts a call of `ENTER` at the start of every function of a TypeScript file and appends each function to `functions`;
 * its index there is the argument of the call. `file` is the path to report. Throws when the text does not parse.
 */
export function instrument(file: string, text: string, functions: TracedFunction[]): string {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const inserts: { at: number; text: string }[] = [];
  const visit = (node: Node, name: string, scope: string): void => {
    const body = isFunction(node) && isNode(node.body) ? node.body : null;
    const own = body ? qualified(scope, nameOf(node.id) ?? name) : scope;
    if (body) {
      const enter = `${ENTER}(${functions.length})`;
      functions.push({ file, name: own, line: text.slice(0, node.start).split("\n").length });
      if (body.type === "BlockStatement") inserts.push({ at: body.start + 1, text: ` ${enter};` });
      else inserts.push({ at: body.start, text: `(${enter}, ` }, { at: body.end, text: ")" });
    }
    const inner = node.type === "ClassDeclaration" || node.type === "ClassExpression" ? (nameOf(node.id) ?? own) : own;
    for (const [key, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child))
          visit(child, key === "value" || key === "init" || key === "right" ? assignedName(node) : "", inner);
      }
    }
  };
  if (isNode(program)) visit(program, "", "");
  return insertAll(text, inserts);
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

const isFunction = ({ type }: Node): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";

/** The name of an identifier or a key; undefined for anything else. */
function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "PrivateIdentifier") return `#${node.name}`;
  return typeof node.name === "string" ? node.name : undefined;
}

/** What a declaration, property, method or assignment calls its value. */
const assignedName = (node: Node): string => nameOf(node.key) ?? nameOf(node.id) ?? nameOf(node.left) ?? "";

const qualified = (scope: string, name: string): string =>
  [scope, name === "" ? "(anonymous)" : name].filter((part) => part !== "").join(".");

function insertAll(text: string, inserts: readonly { at: number; text: string }[]): string {
  let result = "";
  let done = 0;
  // Inserts at one place keep their order: an outer function's comes before that of the function inside it.
  for (const insert of inserts.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(done, insert.at) + insert.text;
    done = insert.at;
  }
  return result + text.slice(done);
}
