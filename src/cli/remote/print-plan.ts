import { recordOf, recordsOf, textOf } from "../../formats/json.ts";

/** A plan as the management API answers it. */
export type Plan = Readonly<{
  changes: readonly PlanChange[];
  same: number;
  digest: string;
  problems: readonly PlanProblem[];
}>;

type PlanChange = Readonly<{ section: string; name: string; action: string; fields: readonly PlanField[] }>;
type PlanField = Readonly<{ field: string; before: unknown; after: unknown }>;
type PlanProblem = Readonly<{ section: string; at: number | string | null; field: string | null; message: string }>;

/** Reads what the management API answers. */
export const readPlan = (answer: Readonly<Record<string, unknown>>): Plan => ({
  changes: recordsOf(answer.changes).map((change) => ({
    ...{ section: String(change.section), name: String(change.name), action: String(change.action) },
    fields: recordsOf(change.fields).map(({ field, before, after }) => ({ field: String(field), before, after })),
  })),
  same: Number(answer.same ?? 0),
  digest: textOf(answer.digest) ?? "",
  problems: recordsOf(answer.problems).map(({ section, at, field, message }) => ({
    section: String(section),
    at: typeof at === "number" || typeof at === "string" ? at : null,
    field: textOf(field),
    message: textOf(message) ?? "",
  })),
});

const SIGNS: Readonly<Record<string, string>> = { create: "+", update: "~", delete: "-", release: "·" };
const COLORS: Readonly<Record<string, number>> = { "+": 32, "~": 33, "-": 31 };
const LONGEST = 120;

/** The plan as people read it: a line each resource, a line each field that differs. */
export function printPlan({ changes, same }: Plan, hasColor: boolean): string {
  const paint = (sign: string, text: string) =>
    hasColor && COLORS[sign] ? `\u001b[${COLORS[sign]}m${text}\u001b[0m` : text;
  const lines = changes.flatMap(({ section, name, action, fields }) => {
    const sign = SIGNS[action] ?? "?";
    const note = action === "release" ? " (stays; files manage it no more)" : "";
    const details = fields.flatMap(({ field, before, after }) =>
      describe(before, after, action === "create").map(
        (text) => `    ${field === "value" || field === "price" || field === "route" ? "" : `${field}: `}${text}`,
      ),
    );
    return [paint(sign, `${sign} ${section} ${name}${note}`), ...details];
  });
  return [...lines, summaryOf(changes, same), ""].join("\n");
}

function summaryOf(changes: readonly PlanChange[], same: number): string {
  const count = (action: string) => changes.filter((change) => change.action === action).length;
  if (changes.length === 0) return `Nothing to change: ${same} as the files say.`;
  return `${count("create")} to create, ${count("update")} to change, ${count("delete")} to delete, ${same} as the files say.`;
}

function describe(before: unknown, after: unknown, isNew: boolean): string[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [was, is] = [before.map(textFor), after.map(textFor)];
    const added = is.filter((item) => !was.includes(item)).map((item) => `+ ${item}`);
    const removed = was.filter((item) => !is.includes(item)).map((item) => `- ${item}`);
    if (added.length + removed.length > 0) return [short([...added, ...removed].join(", "))];
  }
  const [was, is] = [recordOf(before), recordOf(after)];
  if (was && is) {
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return names
      .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
      .map((name) => `${name}: ${short(textFor(was[name]))} → ${short(textFor(is[name]))}`);
  }
  return [
    isNew || before === undefined ? short(textFor(after)) : `${short(textFor(before))} → ${short(textFor(after))}`,
  ];
}

const textFor = (value: unknown): string => (value === undefined || value === null ? "(none)" : JSON.stringify(value));

const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
