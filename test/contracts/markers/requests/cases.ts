import type { Client } from "../clients/client.ts";
import { type Target, targetsOf } from "./build.ts";

/** Members of members of members: as deep as the generated requests go. */
const DEPTH = 4;
/** Content and tools, of which each case has a few; the rest are options, of which it has many, because they influence each other. */
const CONTENT = /^(messages|tools|input|contents|functions)\b/;
/** An option: members of one object are one, except those of Google's groups of settings. */
const OPTION = /^(generationConfig\.|generation_config\.)?\w+/;
const PER_CASE = 4;
const OPTIONS_PER_CASE = 8;

/** Numbers from 0 to 1 that are the same for the same seed (Mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What each request of a series must hold: every member of the format, or one in `of` of them, and options in company. */
export function casesOf(
  client: Client,
  random: () => number,
  optionCases: number,
  { of, which }: Readonly<{ of: number; which: number }>,
): Target[][] {
  const targets = targetsOf(client.root, DEPTH, client.skipped);
  const options = Map.groupBy(
    targets.filter(({ path }) => !CONTENT.test(path)),
    ({ path }) => OPTION.exec(path)?.[0] ?? path,
  );
  const oneOf = (list: readonly Target[]) => list[Math.floor(random() * list.length)] ?? [];
  const shuffled = shuffle(targets, random).filter((_target, at) => at % of === which);
  const count = Math.ceil(shuffled.length / PER_CASE);
  return [
    ...Array.from({ length: count }, (_, at) => shuffled.slice(at * PER_CASE, (at + 1) * PER_CASE)),
    ...Array.from({ length: optionCases }, () =>
      shuffle([...options.values()], random)
        .slice(0, OPTIONS_PER_CASE)
        .flatMap(oneOf),
    ),
  ];
}

const shuffle = <T>(list: readonly T[], random: () => number): T[] =>
  list
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
