import { type JsonObject, recordOf } from "../../../formats/json.ts";
import type { Detector, Match } from "./detect/detector.ts";
import { piecesOf } from "./window.ts";

/** So much of a part's ends may belong to something that its neighbors go on with. */
const END = 512;

/** The texts of parts in a row: a model reads them as one. */
type Run = readonly string[];

/** A text across the ends of parts, and where the ends are in it. */
type Seam = Readonly<{ text: string; ends: readonly number[] }>;

/** What stands across the ends of text parts anywhere in a request, as `key` and `board` do: nothing finds it in one of them. */
export function textsAcrossParts(value: unknown): string[] {
  const texts: string[] = [];
  walk(value, (run) => {
    for (const { text } of seamsOf(run)) texts.push(text);
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
    if (!seamsOf(run).some((seam) => crossesEnd(seam, detectors))) return null;
    return maskRun(run, detectors, replace);
  });
}

function seamsOf(run: Run): Seam[] {
  const seams: Seam[] = [];
  let [text, ends]: [string, number[]] = ["", []];
  const close = () => {
    if (ends.length > 0) seams.push({ text, ends });
  };
  for (const [at, part] of run.entries()) {
    if (at > 0) ends.push(text.length);
    text += part.length > 2 * END ? part.slice(0, END) : part;
    if (part.length <= 2 * END) continue;
    close();
    [text, ends] = [part.slice(-END), []];
  }
  close();
  return seams;
}

const crossesEnd = ({ text, ends }: Seam, detectors: readonly Detector[]): boolean => {
  const cuts = [0, ...ends, text.length];
  return (
    acrossEnds(
      cuts.slice(1).map((end, at) => text.slice(cuts[at], end)),
      detectors,
    ).size > 0
  );
};

/** Where matches begin that are across ends of parts, unless a part has a match of its own there: that is masked in any case. */
function acrossEnds(run: Run, detectors: readonly Detector[]): ReadonlySet<number> {
  const found = new Set<number>();
  const ends: number[] = [];
  const own: [start: number, end: number][] = [];
  let length = 0;
  for (const part of run) {
    for (const { start, end } of matchesIn(part, detectors)) own.push([length + start, length + end]);
    length += part.length;
    ends.push(length);
  }
  for (const { start, end } of matchesIn(run.join(""), detectors)) {
    if (!ends.some((at) => start < at && at < end)) continue;
    if (!own.some(([from, to]) => from < end && start < to)) found.add(start);
  }
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

/** The parts with what is found across their ends replaced. */
function maskRun(run: Run, detectors: readonly Detector[], replace: (text: string, match: Match) => string): string[] {
  const across = acrossEnds(run, detectors);
  const masked = run.map(() => "");
  let part = 0;
  let left = run[0]?.length ?? 0;
  let place = 0;
  for (const { text, match } of piecesOf(run.join(""), detectors)) {
    const isMasked = match !== null && across.has(place);
    place += text.length;
    if (isMasked) masked[current()] += replace(text, match);
    for (let at = 0; at < text.length; ) {
      const into = current();
      const length = Math.min(left, text.length - at);
      if (!isMasked) masked[into] += text.slice(at, at + length);
      left -= length;
      at += length;
    }
  }
  return masked;

  /** The part to which the next character belongs. */
  function current(): number {
    while (left === 0 && part < run.length - 1) {
      part += 1;
      left = run[part]?.length ?? 0;
    }
    return part;
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
