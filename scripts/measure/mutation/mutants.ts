import { parseSync } from "oxc-parser";

/** A small change of a source file that its tests should notice. `line` counts from 1. */
export type Mutant = Readonly<{
  file: string;
  line: number;
  /** Offsets of the text that `replacement` takes the place of, in UTF-16 code units. */
  start: number;
  end: number;
  replacement: string;
  kind: MutationKind;
  host: Host;
}>;

/** The part of the text that is compiled twice, as it is and as the mutant has it, and how both fit into its place. */
export type Host = Readonly<{
  start: number;
  end: number;
  form: "expression" | "key" | "member" | "optional member" | "statement";
  /** What stands there in the mutant; in a member the name, quoted. */
  mutated: string;
}>;

export type MutationKind = "comparison" | "arithmetic" | "logic" | "condition" | "constant" | "call" | "statement";

type Node = Readonly<{ type: string; start: number; end: number }> & Readonly<Record<string, unknown>>;

const OPERATORS: Readonly<Record<string, readonly [MutationKind, string]>> = {
  "<": ["comparison", "<="],
  "<=": ["comparison", "<"],
  ">": ["comparison", ">="],
  ">=": ["comparison", ">"],
  "===": ["comparison", "!=="],
  "!==": ["comparison", "==="],
  "+": ["arithmetic", "-"],
  "-": ["arithmetic", "+"],
  "*": ["arithmetic", "/"],
  "/": ["arithmetic", "*"],
  "%": ["arithmetic", "*"],
  "+=": ["arithmetic", "-="],
  "-=": ["arithmetic", "+="],
  "*=": ["arithmetic", "/="],
  "&&": ["logic", "||"],
  "||": ["logic", "&&"],
  "??": ["logic", "&&"],
};

/** Methods whose opposite takes the same arguments. */
const METHODS: Readonly<Record<string, string>> = {
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  round: "floor",
  some: "every",
  every: "some",
};

/** Lists the mutants of a TypeScript file, in the order of the text. Throws when it does not parse. */
export function listMutants(file: string, text: string): Mutant[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const mutants: Mutant[] = [];
  const add: Add = (kind, start, end, replacement, host) => {
    const line = text.slice(0, start).split("\n").length;
    const itself = { start, end, form: "expression", mutated: replacement } as const;
    mutants.push({ file, line, start, end, replacement, kind, host: { ...itself, ...host } });
  };
  const visit = (node: Node): void => {
    if (isWithoutBehavior(node)) return;
    mutateNode(node, text, add);
    for (const child of childrenOf(node)) {
      // A number as the name of a member stands where no expression can.
      const isKey = node.key === child && node.computed === false;
      if (isKey && child.type === "Literal") mutateLiteral(child, text, add, "key");
      else visit(child);
    }
  };
  if (isNode(program)) visit(program);
  return mutants.sort((a, b) => a.start - b.start);
}

/** The text with the mutant's change. */
export const applyMutant = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** The host is the changed text itself where it is not given. */
type Add = (kind: MutationKind, start: number, end: number, replacement: string, host?: Partial<Host>) => void;

function mutateNode(node: Node, text: string, add: Add): void {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression":
      mutateOperator(node, text, add);
      break;
    case "IfStatement":
    case "ConditionalExpression":
      if (!isNode(node.test)) break;
      add("condition", node.test.start, node.test.end, "true");
      add("condition", node.test.start, node.test.end, "false");
      break;
    case "UnaryExpression":
      // `!!x` is true where `!x` is false, and of the same type.
      if (node.operator === "!") {
        const host = { end: node.end, mutated: `!${text.slice(node.start, node.end)}` };
        add("logic", node.start, node.start + 1, "!!", host);
      }
      break;
    case "Literal":
      mutateLiteral(node, text, add, "expression");
      break;
    case "CallExpression":
      mutateMethod(node, add);
      break;
    case "ExpressionStatement":
      if (isStatementToDrop(node.expression)) {
        add("statement", node.start, node.end, ";", { form: "statement" });
      }
  }
}

/** A constructor without its call of `super` can't run. */
const isStatementToDrop = (expression: unknown): boolean =>
  isNode(expression) &&
  /^(Call|Assignment|Update|Await)Expression$/.test(expression.type) &&
  !(isNode(expression.callee) && expression.callee.type === "Super");

function mutateOperator({ type, start, end, left, right, operator }: Node, text: string, add: Add): void {
  if (!isNode(left) || !isNode(right) || typeof operator !== "string") return;
  const change = OPERATORS[operator];
  const isText = [left, right].some((side) => side.type === "TemplateLiteral" || typeof side.value === "string");
  if (!change || (change[0] === "arithmetic" && isText)) return;
  const at = left.end + text.slice(left.end, right.start).indexOf(operator);
  const [first, second] = [text.slice(left.start, left.end), text.slice(right.start, right.end)];
  // Without parentheses the other operator could bind differently, or not stand next to its neighbors at all.
  const mutated = `${type === "AssignmentExpression" ? first : `(${first})`} ${change[1]} (${second})`;
  add(change[0], at, at + operator.length, change[1], { start, end, mutated });
}

function mutateLiteral({ value, start, end }: Node, text: string, add: Add, form: "expression" | "key"): void {
  const literal = text.slice(start, end);
  if (typeof value === "boolean") add("constant", start, end, String(!value));
  if (typeof value === "number") add("constant", start, end, `(${literal} + 1)`, { form });
  if (typeof value === "bigint") add("constant", start, end, `(${literal} + 1n)`);
}

function mutateMethod({ callee }: Node, add: Add): void {
  if (!isNode(callee) || callee.type !== "MemberExpression" || callee.computed) return;
  const { object, property, optional } = callee;
  if (!isNode(object) || !isNode(property) || typeof property.name !== "string") return;
  const opposite = METHODS[property.name];
  if (!opposite) return;
  const form = optional ? "optional member" : "member";
  add("call", property.start, property.end, opposite, { start: object.end, form, mutated: `"${opposite}"` });
}

/** Types, imports, and errors that say that something cannot be: no test can or should reach what they are. */
const isWithoutBehavior = ({ type }: Node): boolean =>
  /^(TS(?!AsExpression|NonNull|Satisfies)|ImportDeclaration|ExportAll|ThrowStatement|TemplateElement)/.test(type);

function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield child;
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
