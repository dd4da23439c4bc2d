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
  const add = (kind: MutationKind, start: number, end: number, replacement: string) => {
    const line = text.slice(0, start).split("\n").length;
    mutants.push({ file, line, start, end, replacement, kind });
  };
  const visit = (node: Node): void => {
    if (isWithoutBehavior(node)) return;
    mutateNode(node, text, add);
    for (const child of childrenOf(node)) visit(child);
  };
  if (isNode(program)) visit(program);
  return mutants.sort((a, b) => a.start - b.start);
}

/** The text with the mutant's change. */
export const applyMutant = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);

type Add = (kind: MutationKind, start: number, end: number, replacement: string) => void;

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
      if (node.operator === "!") add("logic", node.start, node.start + 1, "!!");
      break;
    case "Literal":
      mutateLiteral(node, text, add);
      break;
    case "CallExpression":
      mutateMethod(node, add);
      break;
    case "ExpressionStatement":
      if (isNode(node.expression) && /^(Call|Assignment|Update|Await)Expression$/.test(node.expression.type)) {
        add("statement", node.start, node.end, ";");
      }
  }
}

function mutateOperator({ left, right, operator }: Node, text: string, add: Add): void {
  if (!isNode(left) || !isNode(right) || typeof operator !== "string") return;
  const change = OPERATORS[operator];
  const isText = [left, right].some((side) => side.type === "TemplateLiteral" || typeof side.value === "string");
  if (!change || (change[0] === "arithmetic" && isText)) return;
  const start = left.end + text.slice(left.end, right.start).indexOf(operator);
  add(change[0], start, start + operator.length, change[1]);
}

function mutateLiteral({ value, start, end }: Node, text: string, add: Add): void {
  if (typeof value === "boolean") add("constant", start, end, String(!value));
  if (typeof value === "number") add("constant", start, end, `(${text.slice(start, end)} + 1)`);
  if (typeof value === "bigint") add("constant", start, end, `(${text.slice(start, end)} + 1n)`);
}

function mutateMethod({ callee }: Node, add: Add): void {
  if (!isNode(callee) || callee.type !== "MemberExpression" || !isNode(callee.property)) return;
  const { name, start, end } = callee.property;
  const opposite = typeof name === "string" ? METHODS[name] : undefined;
  if (opposite) add("call", start, end, opposite);
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
