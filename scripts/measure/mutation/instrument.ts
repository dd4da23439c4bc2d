import type { Host, Mutant } from "./mutants.ts";

/** What the instrumented text calls with a mutant's number; true while that mutant is the one under test. */
export const SWITCH = "$mutant";

/**
 * The text with all its mutants compiled in, each behind a switch. `firstId` is the number of the first; the others follow in
 * their order. With no mutant active it does what the text did.
 */
export function instrument(text: string, mutants: readonly Mutant[], firstId: number): string {
  const places = new Map<string, Place>();
  for (const [index, mutant] of mutants.entries()) {
    const { start, end, form } = mutant.host;
    const key = `${start}-${end}-${form}`;
    const place = places.get(key) ?? { start, end, form, mutants: [] };
    place.mutants.push([firstId + index, mutant]);
    places.set(key, place);
  }
  // Outer parts first: parts of a syntax tree never overlap by halves.
  const sorted = [...places.values()].sort((a, b) => a.start - b.start || b.end - a.end);
  const render = (start: number, end: number): string => {
    let rendered = "";
    let at = start;
    for (let next = sorted[0]; next && next.start < end; next = sorted[0]) {
      sorted.shift();
      rendered += text.slice(at, next.start) + wrap(next, render(next.start, next.end), text);
      at = next.end;
    }
    return rendered + text.slice(at, end);
  };
  return render(0, text.length);
}

type Place = Pick<Host, "start" | "end" | "form"> & { mutants: [id: number, mutant: Mutant][] };

/** `original` is the place's text, with the mutants inside it. */
function wrap({ form, mutants }: Place, original: string, text: string): string {
  const choose = (otherwise: string) =>
    mutants.reduceRight((rest, [id, { host }]) => `${SWITCH}(${id}) ? ${host.mutated} : ${rest}`, otherwise);
  const nameOf = ({ start, end }: Mutant) => `"${text.slice(start, end)}"`;
  const [, first] = mutants[0] ?? [];
  if (!first) return original;
  switch (form) {
    case "expression":
      return `(${choose(original)})`;
    case "key":
      return `[${choose(original)}]`;
    case "member":
      return `[${choose(nameOf(first))}]`;
    case "optional member":
      return `?.[${choose(nameOf(first))}]`;
    case "statement":
      // The braces keep an `else` that follows with the `if` before.
      return `{ if (!${SWITCH}(${mutants[0]?.[0]})) ${original} }`;
  }
}
