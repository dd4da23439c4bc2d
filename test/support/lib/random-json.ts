/** Random numbers from 0 to 1 (mulberry32, public domain): the same seed yields the same sequence. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Random whole numbers from 0 to below a limit. */
export function randomFrom(seed: number): (below: number) => number {
  const next = seededRandom(seed);
  return (below) => (next() * 4_294_967_296) % below;
}

/** Names that trip parsers and object literals: of prototypes, with quotes, braces, escapes, blanks and other scripts. */
export const HOSTILE_NAMES = [
  ...["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "valueOf", "toJSON", "length"],
  ...["model", "Model", "messages", "", " ", "0", "-1", "a.b", "model\u0000", "\u017ftream", "n", "null"],
  ...['"', "\\", '\\"', "{", "}", "[", "]", ",", ":", '":"', "\n", "\u2028", "é", "模型", "😀", "\ud800"],
] as const;

const WHITESPACE = ["", "", "", " ", "\n", "\t", "\r\n", "  "];
const NUMBERS = ["0", "-0", "1.0", "1e400", "-1.5E-3", "12345678901234567890", "7"];
const DEEPEST = 4;

/** Writes random valid JSON texts: whitespace, escapes and number forms differ, and names may stand twice in an object. */
export class RandomJson {
  /** `repeats`: an object may have a name twice. */
  constructor(
    private readonly random: () => number,
    private readonly repeats = true,
  ) {}

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  object(depth = 0): string {
    const names = Array.from({ length: Math.floor(this.random() * 6) }, () => this.pick(HOSTILE_NAMES));
    const members = (this.repeats ? names : [...new Set(names)]).map(
      (name) => `${this.#blank()}${this.string(name)}${this.#blank()}:${this.#blank()}${this.value(depth + 1)}`,
    );
    return `${this.#blank()}{${members.join(`${this.#blank()},`)}${this.#blank()}}${this.#blank()}`;
  }

  value(depth = 0): string {
    switch (Math.floor(this.random() * (depth >= DEEPEST ? 4 : 7))) {
      case 0:
        return this.pick(["null", "true", "false"]);
      case 1:
        return this.pick(NUMBERS);
      case 2:
      case 3:
        return this.string(this.pick(HOSTILE_NAMES).repeat(1 + Math.floor(this.random() * 3)));
      case 4:
        return `[${this.#blank()}${Array.from({ length: Math.floor(this.random() * 4) }, () => this.value(depth + 1)).join(",")}]`;
      default:
        return this.object(depth + 1);
    }
  }

  /** The text as a JSON string, some of its characters escaped that need not be. */
  string(text: string): string {
    const units = Array.from({ length: text.length }, (_, at) => text[at] ?? "");
    const escaped = units.map((unit) => {
      const isLone = /[\ud800-\udfff]/.test(unit) && !text.isWellFormed();
      if (isLone || this.random() < 0.2) return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
      return /[\ud800-\udfff]/.test(unit) ? unit : JSON.stringify(unit).slice(1, -1);
    });
    return `"${escaped.join("")}"`;
  }

  #blank(): string {
    return this.pick(WHITESPACE);
  }
}
