import { type Matcher, RE2JS } from "re2js";
import { OperationError } from "../../operation-error.ts";
import { recentEntries } from "../tables/recent-entries.ts";

/** A pattern for names: `*` stands for any characters, `re:` begins a regular expression that matches the whole name. */
export type NamePattern = Readonly<{
  source: string;
  test(name: string): boolean;
  /**
   * What a template makes of a name that matches: each `*` of it becomes what the pattern's `*` stood for, in order, and `$1`
   * to `$9` the groups of a regular expression. Null: the name does not match.
   */
  rewrite(name: string, template: string): string | null;
}>;

const EXPRESSION = /^re:/;

/** Whether a text is a pattern; everything else is a name. */
export const isNamePattern = (text: string): boolean => text.includes("*") || EXPRESSION.test(text);

/**
 * Whether a text begins a regular expression that can't be compiled: RE2's syntax has no lookaround and no backreference. Commas
 * part names in lists.
 */
export const isBrokenPattern = (text: string): boolean =>
  EXPRESSION.test(text) && (text.includes(",") || compileExpression(text) === null);

/** Throws OperationError for a regular expression that can't be compiled. */
export function refuseBrokenPatterns(names: readonly string[]): void {
  const broken = names.find(isBrokenPattern);
  if (broken !== undefined) throw new OperationError("name_pattern_invalid", { pattern: broken.slice(0, 100) });
}

const compiled = recentEntries<string, NamePattern>(5_000);

/** Compiles a pattern, or a name, which matches itself. A regular expression that can't be compiled matches nothing. */
export function namePattern(source: string): NamePattern {
  const known = compiled.get(source);
  if (known) return known;
  const made = EXPRESSION.test(source) ? expressionPattern(source) : wildcardPattern(source);
  compiled.set(source, made);
  return made;
}

/** Names of which some may be patterns: a name is in it that one of them is or matches. */
class NameSet extends Set<string> {
  readonly #patterns: readonly NamePattern[];

  constructor(names: readonly string[]) {
    super(names);
    this.#patterns = names.filter(isNamePattern).map(namePattern);
  }

  override has(name: string): boolean {
    return super.has(name) || this.#patterns.some((pattern) => pattern.test(name));
  }
}

/** The names as a set that knows patterns, if there are any. */
export const nameSet = (names: readonly string[]): ReadonlySet<string> =>
  names.some(isNamePattern) ? new NameSet(names) : new Set(names);

/** Answers kept by a map of names with patterns, before it starts again: names are whatever callers write. */
const MAX_ANSWERS = 1_000;

/** Names, some of them patterns, with what they stand for. `get` knows names alone; patterns come in the order written. */
export class NameMap extends Map<string, string> {
  readonly #patterns: readonly Readonly<{ pattern: NamePattern; template: string }>[];
  readonly #answers = new Map<string, string | undefined>();

  constructor(entries: readonly (readonly [name: string, template: string])[]) {
    super(entries);
    this.#patterns = entries.flatMap(([name, template]) =>
      isNamePattern(name) ? [{ pattern: namePattern(name), template }] : [],
    );
  }

  /** What the first pattern that matches makes of a name. */
  rewrite(name: string): string | undefined {
    if (this.#patterns.length === 0) return undefined;
    if (this.#answers.has(name)) return this.#answers.get(name);
    let answer: string | undefined;
    for (const { pattern, template } of this.#patterns) {
      answer = pattern.rewrite(name, template) || undefined;
      if (answer !== undefined) break;
    }
    if (this.#answers.size >= MAX_ANSWERS) this.#answers.clear();
    this.#answers.set(name, answer);
    return answer;
  }
}

/** In time linear in the name for one `*`, and never more than the name for each further one. */
function wildcardPattern(source: string): NamePattern {
  const pieces = source.split("*");
  const [first = "", ...others] = pieces;
  const last = others.pop();
  /** What each `*` stands for; null: no match. */
  const match = (name: string): string[] | null => {
    if (last === undefined) return name === first ? [] : null;
    if (!name.startsWith(first) || !name.endsWith(last)) return null;
    const end = name.length - last.length;
    let at = first.length;
    if (at > end) return null;
    const found: string[] = [];
    for (const piece of others) {
      const next = name.indexOf(piece, at);
      if (next < 0 || next + piece.length > end) return null;
      found.push(name.slice(at, next));
      at = next + piece.length;
    }
    return [...found, name.slice(at, end)];
  };
  return {
    source,
    test: (name) => match(name) !== null,
    rewrite(name, template) {
      const found = match(name);
      if (!found) return null;
      const [head = "", ...rest] = template.split("*");
      return rest.reduce((text, piece, index) => text + (found[index] ?? "") + piece, head);
    },
  };
}

const GROUP = /\$(\d)/g;

function expressionPattern(source: string): NamePattern {
  const expression = compileExpression(source);
  if (!expression) return { source, test: () => false, rewrite: () => null };
  return {
    source,
    test: (name) => expression.test(name),
    rewrite(name, template) {
      if (!expression.test(name)) return null;
      const matcher = expression.matcher(name);
      return matcher.find() ? template.replace(GROUP, (_, group: string) => groupOf(matcher, Number(group))) : null;
    },
  };
}

const groupOf = (matcher: Matcher, group: number): string =>
  group <= matcher.groupCount() ? (matcher.group(group) ?? "") : "";

function compileExpression(source: string): RE2JS | null {
  try {
    return RE2JS.compile(`^(?:${source.replace(EXPRESSION, "").trim()})$`);
  } catch {
    return null;
  }
}
