import { WEEKDAYS, type Weekday } from "../../../billing/pricing/price-hours.ts";
import { type HourRatios, type PriceRatios, ratiosOf } from "../../../billing/pricing/ratios/catalog-ratios.ts";
import type { CatalogPrice } from "../../../catalog/entry.ts";
import { type Node, parseExpression } from "./parse-expression.ts";

/**
 * The price that a billing expression of new-api says: dollars of a million tokens, steps by length, service tiers, and hours
 * of some days. Null: it says something that prices here cannot.
 * Source: https://github.com/QuantumNous/new-api/blob/main/pkg/billingexpr/expr.md
 */
export function priceOfExpression(text: string): PriceRatios | null {
  const [base = "", ...rules] = text.trim().replace(/^v1:/, "").split("|||");
  const node = parseExpression([base, ...rules.map(asFactor)].map((part) => `(${part})`).join(" * "));
  if (!node) return null;
  const bases: Node[] = [];
  const specials: Special[] = [];
  for (const factor of factorsOf(node)) {
    const special = specialOf(factor);
    if (special) specials.push(special);
    else if (factor.kind === "number" && factor.value === 1) continue;
    else bases.push(factor);
  }
  const [only, ...others] = bases;
  const price = only && others.length === 0 ? priceOf(only) : null;
  if (!price) return null;
  const tiers = specials.flatMap((special) => ("tier" in special ? [[special.tier, special.factors] as const] : []));
  const hours = specials.flatMap((special) => ("hours" in special ? special.hours : []));
  return {
    ...ratiosOf(price, "USD"),
    ...(tiers.length > 0 && { ServiceTiers: Object.fromEntries(tiers) }),
    ...(hours.length > 0 && { PriceHours: hours }),
  };
}

/** `when(condition) * 2 * when(…) * 3` as factors of the expression. */
const asFactor = (rules: string): string => rules.replace(/when\s*\(/g, "_when(");

type Special =
  | Readonly<{ tier: string; factors: Readonly<{ input: number; output: number }> }>
  | Readonly<{ hours: readonly HourRatios[] }>;

/** What is multiplied; a `when` and the number after it are one condition. */
function factorsOf(node: Node): Node[] {
  if (node.kind !== "operator" || node.operator !== "*") return [node];
  const factors = [...factorsOf(node.left), ...factorsOf(node.right)];
  return factors.flatMap((factor, at): Node[] => {
    const before = factors[at - 1];
    const isCounted = factor.kind === "number" && before?.kind === "call" && before.name === "_when";
    if (isCounted) return [];
    const next = factors[at + 1];
    const [test] = factor.kind === "call" && factor.name === "_when" ? factor.args : [];
    return test && next ? [{ kind: "condition", test, yes: next, no: { kind: "number", value: 1 } }] : [factor];
  });
}

function specialOf(node: Node): Special | null {
  if (node.kind !== "condition" || node.yes.kind !== "number") return null;
  if (node.no.kind !== "number" || node.no.value !== 1) return null;
  const factors = { input: node.yes.value, output: node.yes.value };
  const tier = tierIn(node.test);
  if (tier !== null) return { tier, factors };
  const hours = hoursIn(node.test);
  return hours && { hours: hours.map((rule) => ({ ...rule, ...factors })) };
}

/** `param("service_tier") == "flex"`, `param("speed") == "fast"`, `header("anthropic-beta") has "fast-mode"`. */
function tierIn(node: Node): string | null {
  const [source, value] =
    node.kind === "operator" ? [node.left, node.right] : node.kind === "call" && node.name === "has" ? node.args : [];
  if (source?.kind !== "call" || value?.kind !== "text") return null;
  const [name] = source.args;
  if (name?.kind !== "text") return null;
  const isEqual = node.kind === "operator" && node.operator === "==";
  const word = value.value.toLowerCase();
  if (source.name === "header" && name.value.toLowerCase() === "anthropic-beta")
    return !isEqual && word.startsWith("fast-mode") ? "fast" : null;
  if (source.name !== "param" || !isEqual) return null;
  if (name.value === "speed") return word;
  if (name.value === "inference_geo") return `geo:${word}`;
  if (name.value !== "service_tier") return null;
  return word === "fast" ? "priority" : word;
}

type Hours = Pick<HourRatios, "days" | "from" | "until" | "zone">;
const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6];
const ALL_HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The hours in which a condition on the clock holds: every hour of the week is tried, and runs of hours become rules. */
function hoursIn(node: Node): Hours[] | null {
  const zones = new Set(clockZones(node));
  const [zone] = zones;
  if (zone === undefined || zones.size !== 1) return null;
  const byHours = new Map<string, number[]>();
  for (const day of ALL_DAYS) {
    const held = ALL_HOURS.map((hour) => evaluate(node, { day, hour }));
    if (held.includes(null)) return null;
    for (const run of runsOf(held)) byHours.set(run, [...(byHours.get(run) ?? []), day]);
  }
  return [...byHours].map(([run, days]) => {
    const [from = "", until = ""] = run.split(" ");
    const names = days.map((day): Weekday => WEEKDAYS[day] ?? "sun");
    return { ...(names.length < ALL_DAYS.length && { days: names }), from, until, zone };
  });
}

function runsOf(held: readonly (boolean | number | null)[]): string[] {
  const runs: string[] = [];
  let begin: number | null = null;
  for (const hour of [...ALL_HOURS, 24]) {
    if (held[hour] === true) begin ??= hour;
    else if (begin !== null) {
      runs.push(`${clock(begin)} ${clock(hour)}`);
      begin = null;
    }
  }
  return runs;
}

const clock = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

const clockZones = (node: Node): string[] => {
  if (node.kind === "operator") return [...clockZones(node.left), ...clockZones(node.right)];
  const [zone] = node.kind === "call" && (node.name === "hour" || node.name === "weekday") ? node.args : [];
  return zone?.kind === "text" ? [zone.value] : [];
};

/** The value of a condition at an hour of a day; null: it asks for something else too. */
function evaluate(node: Node, at: Readonly<{ day: number; hour: number }>): boolean | number | null {
  if (node.kind === "number") return node.value;
  if (node.kind === "call") return node.name === "hour" ? at.hour : node.name === "weekday" ? at.day : null;
  if (node.kind !== "operator") return null;
  const [left, right] = [evaluate(node.left, at), evaluate(node.right, at)];
  if (left === null || right === null) return null;
  switch (node.operator) {
    case "&&":
    case "and":
      return left === true && right === true;
    case "||":
    case "or":
      return left === true || right === true;
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    default:
      return null;
  }
}

const MEMBERS: Readonly<Record<string, keyof CatalogPrice>> = {
  p: "input",
  c: "output",
  cr: "cache_read",
  cc: "cache_write",
  ai: "audio_input",
  ao: "audio_output",
  img: "image_input",
  img_o: "image_output",
};

/** `len <= 200000 ? tier(…) : tier(…)`, or one tier. */
function priceOf(node: Node): CatalogPrice | null {
  if (node.kind !== "condition") return leafOf(node);
  const { test, yes, no } = node;
  const isLength = test.kind === "operator" && test.left.kind === "name" && test.left.name === "len";
  if (!isLength || test.right.kind !== "number" || (test.operator !== "<=" && test.operator !== "<")) return null;
  const over = test.operator === "<=" ? test.right.value : test.right.value - 1;
  const [base, rest] = [leafOf(yes), priceOf(no)];
  if (!base || rest?.input === undefined || base.per_call !== undefined) return null;
  const { input, output = input, tiers = [] } = rest;
  return { ...base, tiers: [{ over, input, output }, ...tiers] };
}

/** `tier("base", p * 2.5 + c * 15)`, or `tier("request", fixed(0.01))`. */
function leafOf(node: Node): CatalogPrice | null {
  const body = node.kind === "call" && node.name === "tier" ? node.args[1] : node;
  if (!body) return null;
  if (body.kind === "call" && body.name === "fixed") {
    const [amount] = body.args;
    return amount?.kind === "number" ? { per_call: amount.value } : null;
  }
  const price: Partial<Record<keyof CatalogPrice, number>> = {};
  for (const term of termsOf(body)) {
    const { left, right } = term.kind === "operator" && term.operator === "*" ? term : { left: term, right: ONE };
    const [name, amount] = left.kind === "name" ? [left, right] : [right, left];
    if (name.kind !== "name" || amount.kind !== "number") return null;
    // Writes for an hour follow those for five minutes here.
    if (name.name === "cc1h") continue;
    const member = MEMBERS[name.name];
    if (!member || price[member] !== undefined) return null;
    price[member] = amount.value;
  }
  return price.input === undefined ? null : Object.fromEntries(Object.entries(price));
}

const ONE: Node = { kind: "number", value: 1 };

const termsOf = (node: Node): Node[] =>
  node.kind === "operator" && node.operator === "+" ? [...termsOf(node.left), ...termsOf(node.right)] : [node];
