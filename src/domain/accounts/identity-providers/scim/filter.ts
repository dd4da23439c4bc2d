import { type Attributes, attributeOf, isAttributes, ScimError, withoutSchema } from "./protocol.ts";

type Literal = string | number | boolean | null;
/** A filter of RFC 7644, 3.4.2.2. */
export type Filter =
  | Readonly<{ kind: "compare"; path: readonly string[]; operator: string; value: Literal }>
  | Readonly<{ kind: "present"; path: readonly string[] }>
  | Readonly<{ kind: "some"; path: readonly string[]; filter: Filter }>
  | Readonly<{ kind: "not"; filter: Filter }>
  | Readonly<{ kind: "and" | "or"; left: Filter; right: Filter }>;

const TOKEN = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;
const OPERATORS = new Set(["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]);
const LONGEST = 4000;
const DEEPEST = 20;

/** Parses a filter. Throws ScimError invalidFilter. */
export function parseFilter(text: string): Filter {
  const tokens = tokenize(text);
  let position = 0;
  let depth = 0;
  const peek = () => tokens[position]?.toLowerCase();
  const take = (): string => {
    const token = tokens[position];
    if (token === undefined) throw invalid("the filter ends too early");
    position += 1;
    return token;
  };
  const expect = (token: string) => {
    if (take() !== token) throw invalid(`${token} is missing`);
  };
  const either = (): Filter => {
    depth += 1;
    if (depth > DEEPEST) throw invalid("the filter is nested too deeply");
    let left = both();
    while (peek() === "or") {
      take();
      left = { kind: "or", left, right: both() };
    }
    depth -= 1;
    return left;
  };
  const both = (): Filter => {
    let left = term();
    while (peek() === "and") {
      take();
      left = { kind: "and", left, right: term() };
    }
    return left;
  };
  const grouped = (): Filter => {
    expect("(");
    const filter = either();
    expect(")");
    return filter;
  };
  const term = (): Filter => {
    if (peek() === "not") {
      take();
      return { kind: "not", filter: grouped() };
    }
    if (peek() === "(") return grouped();
    const path = pathOf(take());
    if (peek() === "[") {
      take();
      const filter = either();
      expect("]");
      return { kind: "some", path, filter };
    }
    const operator = take().toLowerCase();
    if (operator === "pr") return { kind: "present", path };
    if (!OPERATORS.has(operator)) throw invalid(`unknown operator ${operator.slice(0, 20)}`);
    return { kind: "compare", path, operator, value: literalOf(take()) };
  };
  const filter = either();
  if (position < tokens.length) throw invalid("there is text after the filter");
  return filter;
}

/** Whether a resource fits a filter. */
export function matches(filter: Filter, resource: unknown): boolean {
  switch (filter.kind) {
    case "and":
      return matches(filter.left, resource) && matches(filter.right, resource);
    case "or":
      return matches(filter.left, resource) || matches(filter.right, resource);
    case "not":
      return !matches(filter.filter, resource);
    case "some":
      return valuesAt(resource, filter.path).some((value) => matches(filter.filter, value));
    case "present":
      return valuesAt(resource, filter.path).some((value) => value !== null && value !== "");
    case "compare":
      return compare(valuesAt(resource, filter.path), filter.operator, filter.value);
  }
}

/** What attributes at the top must equal for a resource to fit: by it a database finds candidates. */
export function equalities(filter: Filter): Readonly<Record<string, string>> {
  if (filter.kind === "and") return { ...equalities(filter.left), ...equalities(filter.right) };
  const isEqual = filter.kind === "compare" && filter.operator === "eq" && filter.path.length === 1;
  return isEqual && typeof filter.value === "string" ? { [String(filter.path[0]).toLowerCase()]: filter.value } : {};
}

const invalid = (detail: string) => new ScimError(400, detail, "invalidFilter");

function tokenize(text: string): string[] {
  if (text.length > LONGEST) throw invalid("the filter is too long");
  const tokens: string[] = [];
  const source = text.trim();
  TOKEN.lastIndex = 0;
  for (let end = 0; end < source.length; end = TOKEN.lastIndex) {
    const [, bracket, quoted, word] = TOKEN.exec(source) ?? [];
    const token = bracket ?? quoted ?? word;
    if (token === undefined) throw invalid("a text is not closed");
    tokens.push(token);
  }
  return tokens;
}

function pathOf(token: string): string[] {
  const path = withoutSchema(token);
  if (!/^[a-z$][\w$-]*(?:\.[a-z$][\w$-]*)?$/i.test(path)) throw invalid(`${token.slice(0, 60)} is no attribute`);
  return path.split(".");
}

function literalOf(token: string): Literal {
  try {
    const value: unknown = JSON.parse(/^(?:true|false|null)$/i.test(token) ? token.toLowerCase() : token);
    if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value as Literal;
  } catch {
    // Reported below.
  }
  throw invalid(`${token.slice(0, 60)} is no value`);
}

/** All values at a path: of each element where an attribute is a list. */
function valuesAt(resource: unknown, path: readonly string[]): unknown[] {
  let values: unknown[] = [resource];
  for (const name of path) {
    values = values.flatMap((value) => {
      const found = attributeOf(value, name);
      return found === undefined ? [] : Array.isArray(found) ? found : [found];
    });
  }
  return values;
}

function compare(values: readonly unknown[], operator: string, expected: Literal): boolean {
  // An attribute that is a list of objects is compared by their `value`.
  const plain = values.map((value) => (isAttributes(value) ? attributeOf(value as Attributes, "value") : value));
  if (operator === "ne") return !compare(values, "eq", expected);
  if (expected === null) return operator === "eq" && plain.every((value) => value === null || value === undefined);
  return plain.some((value) => holds(value, operator, expected));
}

function holds(value: unknown, operator: string, expected: string | number | boolean): boolean {
  if (typeof value === "string" && typeof expected === "string") {
    const [one, other] = [value.toLowerCase(), expected.toLowerCase()];
    switch (operator) {
      case "eq":
        return one === other;
      case "co":
        return one.includes(other);
      case "sw":
        return one.startsWith(other);
      case "ew":
        return one.endsWith(other);
      default:
        return isInOrder(one < other ? -1 : one > other ? 1 : 0, operator);
    }
  }
  if (typeof value === "number" && typeof expected === "number") {
    return operator === "eq" ? value === expected : isInOrder(value - expected, operator);
  }
  return operator === "eq" && value === expected;
}

const isInOrder = (difference: number, operator: string): boolean =>
  (operator === "gt" && difference > 0) ||
  (operator === "ge" && difference >= 0) ||
  (operator === "lt" && difference < 0) ||
  (operator === "le" && difference <= 0);
