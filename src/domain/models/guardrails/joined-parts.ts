import { type JsonObject, recordOf } from "../../../formats/json.ts";
import type { Detector, Match } from "./detect/detector.ts";
import { piecesOf } from "./window.ts";

/** So much of a part's ends may belong to something that its neighbors go on with. */
const END = 512;

/** The texts of parts in a row: a model reads them as one. */
type Run = readonly string[];

/** A part, or the end of a long one: its text from a place on. */
type Segment = Readonly<{ part: number; from: number; text: string }>;

/** Segments that follow one another, across the ends of parts. */
type Seam = readonly Segment[];

/** What stands across the ends of text parts anywhere in a request, as `key` and `board` do: nothing finds it in one of them. */
export function textsAcrossParts(value: unknown): string[] {
  const texts: string[] = [];
  walk(value, (run) => {
    for (const seam of seamsOf(run)) texts.push(textOf(seam));
    return null;
  });
  return texts;
}

/** The value with what is found across the ends of text parts replaced, in the part where it begins. The same object if nothing is. */
export function maskAcrossParts(
  value: unknown,
  detectors: readonly Detector[],
  replace: (text: string, match: Match) => string,
): unknown {
  return walk(value, (run) => {
    const changed = seamsOf(run).flatMap((seam) => maskSeam(seam, detectors, replace));
    if (changed.length === 0) return null;
    const masked = [...run];
    // From behind: what is before a segment keeps its place.
    for (const { part, from, text, was } of changed.toReversed()) {
      const old = masked[part] ?? "";
      masked[part] = old.slice(0, from) + text + old.slice(from + was.length);
    }
    return masked;
  });
}

function seamsOf(run: Run): Seam[] {
  const seams: Segment[][] = [];
  let seam: Segment[] = [];
  for (const [part, text] of run.entries()) {
    const isLong = text.length > 2 * END;
    seam.push({ part, from: 0, text: isLong ? text.slice(0, END) : text });
    if (!isLong) continue;
    seams.push(seam);
    seam = [{ part, from: text.length - END, text: text.slice(-END) }];
  }
  seams.push(seam);
  return seams.filter(({ length }) => length > 1);
}

const textOf = (seam: Seam): string => seam.map(({ text }) => text).join("");

/**
 * Where matches begin that are across ends of parts, unless a part has a match of its own there: that is masked in any case.
 */
function acrossEnds(seam: Seam, detectors: readonly Detector[]): ReadonlySet<number> {
  const ends: number[] = [];
  let length = 0;
  for (const { text } of seam) {
    length += text.length;
    ends.push(length);
  }
  const found = new Set<number>();
  const across = matchesIn(textOf(seam), detectors).filter(({ start, end }) =>
    ends.some((at) => start < at && at < end),
  );
  if (across.length === 0) return found;
  const own = seam.flatMap(({ text }, at) =>
    matchesIn(text, detectors).map(({ start, end }) => ({
      start: (ends[at - 1] ?? 0) + start,
      end: (ends[at - 1] ?? 0) + end,
    })),
  );
  for (const { start, end } of across) if (!own.some((one) => one.start < end && start < one.end)) found.add(start);
  return found;
}

function matchesIn(text: string, detectors: readonly Detector[]): Readonly<{ start: number; end: number }>[] {
  let at = 0;
  return piecesOf(text, detectors).flatMap(({ text: piece, match }) => {
    const start = at;
    at += piece.length;
    return match ? [{ start, end: at }] : [];
  });
}

/** The segments of a seam with what is found across their ends replaced, and what they were; none if nothing is. */
function maskSeam(
  seam: Seam,
  detectors: readonly Detector[],
  replace: (text: string, match: Match) => string,
): (Segment & Readonly<{ was: string }>)[] {
  const across = acrossEnds(seam, detectors);
  if (across.size === 0) return [];
  const masked = seam.map(() => "");
  let at = 0;
  let left = seam[0]?.text.length ?? 0;
  let place = 0;
  for (const { text, match } of piecesOf(textOf(seam), detectors)) {
    const isMasked = match !== null && across.has(place);
    place += text.length;
    if (isMasked) masked[current()] += replace(text, match);
    for (let from = 0; from < text.length; ) {
      const into = current();
      const length = Math.min(left, text.length - from);
      if (!isMasked) masked[into] += text.slice(from, from + length);
      left -= length;
      from += length;
    }
  }
  return seam.map(({ part, from, text }, index) => ({ part, from, text: masked[index] ?? "", was: text }));

  /** The segment to which the next character belongs. */
  function current(): number {
    while (left === 0 && at < seam.length - 1) {
      at += 1;
      left = seam[at]?.text.length ?? 0;
    }
    return at;
  }
}

/** The value with the texts of its runs of parts replaced by what `change` gives for them; null: they stay. */
function walk(value: unknown, change: (run: Run) => readonly string[] | null): unknown {
  if (Array.isArray(value)) return walkList(value, change);
  const record = recordOf(value);
  if (!record) return value;
  let changed: JsonObject | null = null;
  for (const [name, member] of Object.entries(record)) {
    const walked = typeof member === "object" ? walk(member, change) : member;
    if (walked === member) continue;
    changed ??= { ...record };
    changed[name] = walked;
  }
  return changed ?? record;
}

function walkList(list: readonly unknown[], change: (run: Run) => readonly string[] | null): readonly unknown[] {
  let changed: unknown[] | null = null;
  for (let from = 0; from < list.length; ) {
    let to = from;
    const kind = kindOf(list[from]);
    while (kind !== null && to < list.length && kindOf(list[to]) === kind) to += 1;
    const run = list.slice(from, to).map((part) => String(recordOf(part)?.text));
    const texts = run.length > 1 ? change(run) : null;
    for (const [at, text] of (texts ?? []).entries()) {
      changed ??= [...list];
      changed[from + at] = { ...recordOf(list[from + at]), text };
    }
    if (to === from) {
      const walked = walk(list[from], change);
      if (walked !== list[from]) {
        changed ??= [...list];
        changed[from] = walked;
      }
      to += 1;
    }
    from = to;
  }
  return changed ?? list;
}

/** What a part of a message with a text is: reasoning is not read with what follows it; null: it has none. */
function kindOf(part: unknown): string | null {
  const record = recordOf(part);
  return typeof record?.text === "string" ? `${record.type} ${record.thought}` : null;
}
