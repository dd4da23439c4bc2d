import type { JsonObject } from "../../../../src/formats/json.ts";
import { Builder, type Target, targetsOf } from "../requests/build.ts";
import { randomFrom } from "../requests/cases.ts";
import { type Answer, clientCodecs, follow, type Loss } from "./follow.ts";
import { allows, type Rule } from "./rule.ts";
import { RULES } from "./rules.ts";
import { samples } from "./samples.ts";
import { type Source, sources } from "./sources.ts";

/** Members that come with each, by chance. */
const COMPANIONS = 2;

export type Findings = Readonly<{
  answers: number;
  /** What is lost without a rule, by format and member. */
  losses: ReadonlyMap<string, readonly Loss[]>;
  used: ReadonlySet<Rule>;
}>;

/**
 * Writes answers of every provider format, each member of which has a marker, for clients of every other, and looks for the
 * markers. `seed` decides which members come together.
 */
export function findLosses(seed: number): Findings {
  const losses = new Map<string, Loss[]>();
  const used = new Set<Rule>();
  const isAllowed = (loss: Loss): boolean => {
    const rule = RULES.find((one) => allows(one, loss));
    if (rule) used.add(rule);
    return rule !== undefined;
  };
  let answers = 0;
  const made = sources.flatMap((source, at) => [...answersOf(source, randomFrom(seed * 1000 + at))]);
  for (const answer of [...made, ...samples()]) {
    answers += 1;
    for (const client of clientCodecs) {
      for (const loss of follow(answer, client, isAllowed)) {
        const name = `${loss.format}: ${loss.path}`;
        losses.set(name, [...(losses.get(name) ?? []), loss]);
      }
    }
  }
  return { answers, losses, used };
}

function* answersOf(source: Source, random: () => number): Generator<Answer> {
  const targets = targetsOf(source.root, source.depth, source.skipped);
  const any = (): Target[] => targets.slice(Math.floor(random() * targets.length)).slice(0, 1);
  for (const target of targets) {
    const builder = new Builder(random, source.special);
    const body: JsonObject = {};
    for (const one of [target, ...Array.from({ length: COMPANIONS }, any).flat()]) builder.add(body, source.root, one);
    source.arrange(body, builder);
    yield { format: source.format, body, leaves: builder.leaves };
  }
}

/** The losses as lines: member, and the clients and ways by which it is lost. */
export const describeLosses = ({ losses }: Findings): string[] =>
  [...losses]
    .map(([name, list]) => `${name}: ${[...new Set(list.map(({ client, way }) => `${client} ${way}`))].join(", ")}`)
    .sort();
