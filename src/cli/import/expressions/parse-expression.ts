/** A node of a billing expression of new-api: numbers, texts, names, calls, operators and conditions. */
export type Node =
  | Readonly<{ kind: "number"; value: number }>
  | Readonly<{ kind: "text"; value: string }>
  | Readonly<{ kind: "name"; name: string }>
  | Readonly<{ kind: "call"; name: string; args: readonly Node[] }>
  | Readonly<{ kind: "operator"; operator: string; left: Node; right: Node }>
  | Readonly<{ kind: "condition"; test: Node; yes: Node; no: Node }>;

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|"((?:[^"\\]|\\.)*)"|([A-Za-z_]\w*)|(&&|\|\||[=!<>]=|[-+*/<>?:(),]))/iy;
/** Operators by precedence, those that bind least first. */
const LEVELS: readonly (readonly string[])[] = [
  ["||", "or"],
  ["&&", "and"],
  ["==", "!=", "<=", ">=", "<", ">", "has", "contains"],
  ["+", "-"],
  ["*", "/"],
];
const MAX_LENGTH = 20_000;

/** Parses an expression; null: it uses what is not known here. */
export function parseExpression(text: string): Node | null {
  const tokens = text.length > MAX_LENGTH ? null : tokensOf(text);
  if (!tokens) return null;
  try {
    const parser = new Parser(tokens);
    const node = parser.expression();
    return parser.isAtEnd ? node : null;
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

class Unknown extends Error {}
type Token = Readonly<{ kind: "number" | "text" | "name" | "sign"; text: string }>;

function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; text.slice(at).trim() !== ""; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(text);
    if (!found) return null;
    const [, number, quoted, name, sign] = found;
    if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (quoted !== undefined) tokens.push({ kind: "text", text: quoted.replace(/\\(.)/g, "$1") });
    else tokens.push(name === undefined ? { kind: "sign", text: sign ?? "" } : { kind: "name", text: name });
  }
  return tokens;
}

const MAX_DEPTH = 100;

class Parser {
  #at = 0;
  #depth = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  get isAtEnd(): boolean {
    return this.#at === this.tokens.length;
  }

  expression(): Node {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Unknown();
    const test = this.#level(0);
    let node = test;
    if (this.#takes("?")) {
      const yes = this.expression();
      this.#needs(":");
      node = { kind: "condition", test, yes, no: this.expression() };
    }
    this.#depth -= 1;
    return node;
  }

  #level(level: number): Node {
    const operators = LEVELS[level];
    if (!operators) return this.#primary();
    let left = this.#level(level + 1);
    for (;;) {
      const token = this.tokens[this.#at];
      if (!token || token.kind === "text" || !operators.includes(token.text)) return left;
      this.#at += 1;
      left = { kind: "operator", operator: token.text, left, right: this.#level(level + 1) };
    }
  }

  #primary(): Node {
    const token = this.tokens[this.#at];
    this.#at += 1;
    if (token?.kind === "number") return { kind: "number", value: Number(token.text) };
    if (token?.kind === "text") return { kind: "text", value: token.text };
    if (token?.kind === "sign" && token.text === "(") {
      const node = this.expression();
      this.#needs(")");
      return node;
    }
    if (token?.kind !== "name") throw new Unknown();
    if (!this.#takes("(")) return { kind: "name", name: token.text };
    const args: Node[] = [];
    while (!this.#takes(")")) {
      if (args.length > 0) this.#needs(",");
      args.push(this.expression());
    }
    return { kind: "call", name: token.text, args };
  }

  #takes(sign: string): boolean {
    const token = this.tokens[this.#at];
    if (token?.kind !== "sign" || token.text !== sign) return false;
    this.#at += 1;
    return true;
  }

  #needs(sign: string): void {
    if (!this.#takes(sign)) throw new Unknown();
  }
}
